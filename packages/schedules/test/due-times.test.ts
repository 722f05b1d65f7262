import { property, record, constantFrom, integer, assert } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dueTimes, MISSED_AFTER_MS, nextDueTime } from '../src/index.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const at = (text: string): number => Date.parse(text)
const iso = (times: readonly number[]): readonly string[] =>
  times.map((time) => new Date(time).toISOString().slice(0, 16))

/** Periods around both changes of the clock of two zones, and one in a zone without them. */
const PERIODS = [
  { timeZone: 'Europe/Berlin', from: at('2026-03-28T00:00Z') },
  { timeZone: 'Europe/Berlin', from: at('2026-10-24T00:00Z') },
  { timeZone: 'America/New_York', from: at('2026-03-07T00:00Z') },
  { timeZone: 'America/New_York', from: at('2026-10-31T00:00Z') },
  { timeZone: 'Asia/Kolkata', from: at('2026-03-28T00:00Z') },
] as const

const CRONS = [
  '*/7 * * * *',
  '*/30 * * * *',
  '0 * * * *',
  '30 2 * * *',
  '30 1,2,3 * * *',
  '15,45 0-3 * * *',
  '0 */2 * * 0,1',
  '59 1 L * *',
] as const

/** Returns all due times of a period one by one. */
function allDue(
  schedule: { readonly cron: string; readonly timeZone: string },
  from: number,
  to: number,
): readonly number[] {
  const found: number[] = []
  for (
    let due = nextDueTime(schedule, from);
    due !== undefined && due <= to;
    due = nextDueTime(schedule, due)
  )
    found.push(due)
  return found
}

const period = record({
  period: constantFrom(...PERIODS),
  cron: constantFrom(...CRONS),
  seed: integer({ min: 0, max: 1_000_000 }),
})

describe('due times', () => {
  it('due times are neither lost nor repeated, however a period is divided, around changes of the clock', () => {
    assert(
      property(period, ({ period: { timeZone, from }, cron, seed }) => {
        const schedule = { cron, timeZone, catchUp: 'all' as const }
        const end = from + 3 * DAY
        const found: number[] = []
        let state = seed
        for (let after = from; after < end;) {
          state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
          const until = Math.min(end, after + 1 + (state % (5 * HOUR)))
          found.push(...dueTimes(schedule, { after, until }).times)
          after = until
        }
        expect(found).toEqual(allDue(schedule, from, end))
        expect(new Set(found).size).toBe(found.length)
      }),
      { numRuns: 60 },
    )
  })

  it('the policies select none, the last or the last 100 of the due times that were missed', () => {
    assert(
      property(period, ({ period: { timeZone, from }, cron, seed }) => {
        const until = from + 2 * DAY + (seed % DAY)
        const schedule = { cron, timeZone }
        const all = allDue(schedule, from, until)
        const onTime = all.filter((due) => due > until - MISSED_AFTER_MS)
        const missed = all.slice(0, all.length - onTime.length)
        const times = (catchUp: 'none' | 'last' | 'all'): readonly number[] =>
          dueTimes({ ...schedule, catchUp }, { after: from, until }).times
        expect(times('none')).toEqual(onTime)
        expect(times('last')).toEqual([...missed.slice(-1), ...onTime])
        expect(times('all')).toEqual(all.slice(-100))
        expect(dueTimes({ ...schedule, catchUp: 'all' }, { after: from, until }).isCut).toBe(all.length > 100)
      }),
      { numRuns: 40 },
    )
  })

  it('a time that the change of the clock skips fires once when the clock has changed', () => {
    const schedule = { cron: '30 2 * * *', timeZone: 'Europe/Berlin' }
    expect(iso(allDue(schedule, at('2026-03-28T12:00Z'), at('2026-03-30T12:00Z')))).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ])
  })

  it('a time that occurs twice fires once, also as part of a list of hours', () => {
    const berlin = { timeZone: 'Europe/Berlin' }
    const night = [at('2026-10-24T22:00Z'), at('2026-10-25T03:00Z')] as const
    expect(iso(allDue({ ...berlin, cron: '30 2 * * *' }, ...night))).toEqual(['2026-10-25T00:30'])
    expect(iso(allDue({ ...berlin, cron: '30 1,2,3 * * *' }, ...night))).toEqual([
      '2026-10-24T23:30',
      '2026-10-25T00:30',
      '2026-10-25T02:30',
    ])
    expect(allDue({ ...berlin, cron: '*/30 * * * *' }, ...night)).toHaveLength(10)
  })

  it('a due time at the end of a period belongs to it, and one at its start does not', () => {
    const hourly = { cron: '0 * * * *', timeZone: 'UTC', catchUp: 'all' } as const
    const nine = at('2026-05-01T09:00Z')
    expect(dueTimes(hourly, { after: nine - 1, until: nine }).times).toEqual([nine])
    expect(dueTimes(hourly, { after: nine, until: nine + 1 }).times).toEqual([])
  })
})
