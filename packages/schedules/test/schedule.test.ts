import { describe, expect, it } from 'vitest'
import { findScheduleProblem, firingRunId, toSchedule } from '../src/index.ts'

describe('a schedule', () => {
  it('a schedule gets the defaults and the name of its agent', () => {
    expect(toSchedule({ cron: '0 9 * * *' }, 'Planner')).toEqual({
      name: 'Planner',
      agent: 'Planner',
      cron: '0 9 * * *',
      timeZone: 'UTC',
      input: '',
      overlap: 'skip',
      catchUp: 'none',
      priority: 100,
    })
  })

  it('a schedule with five valid fields has no problem', () => {
    for (const cron of ['0 9 * * 1-5', '*/5 * * * *', '0 0 29 2 *', '0 0 L * *', '@daily'])
      expect(findScheduleProblem({ cron, timeZone: 'America/New_York' })).toBeUndefined()
  })

  it.each([
    ['* * * * * *', 'UTC', 'cron', 'is not a cron expression'],
    ['61 * * * *', 'UTC', 'cron', 'is not a cron expression'],
    ['tomorrow', 'UTC', 'cron', 'is not a cron expression'],
    ['0 0 31 2 *', 'UTC', 'cron', 'never fires'],
    ['0 9 * * *', 'Mars/Base', 'timeZone', '"Mars/Base" is not a time zone'],
  ])('the schedule "%s" in %s has a problem with its %s', (cron, timeZone, key, message) => {
    expect(findScheduleProblem({ cron, timeZone })).toMatchObject({
      key,
      problem: { code: 'schedule_invalid', message: expect.stringContaining(message) },
    })
  })

  it('the id of a run depends on the schedule and the due time alone', () => {
    const id = firingRunId({ schedule: 'daily', due: 5 })
    expect(id).toMatch(/^run_[0-9a-f]{32}$/u)
    expect(firingRunId({ schedule: 'daily', due: 5 })).toBe(id)
    expect(firingRunId({ schedule: 'daily', due: 6 })).not.toBe(id)
    expect(firingRunId({ schedule: 'daily2', due: 5 })).not.toBe(id)
  })
})
