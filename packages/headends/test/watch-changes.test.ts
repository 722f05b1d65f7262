import { fakeClock, settle } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { createChangeLog } from '../src/changes/change-log.ts'
import { createChangeWatch, type WatchedList } from '../src/changes/watch-changes.ts'
import type { ChangedRun } from '../src/run-service/changed-runs.ts'

const ADA = { principal: 'ada', isOperator: true }

function changedRun(runId: string, principal = 'ada'): ChangedRun {
  const run = {
    runId,
    agent: 'A',
    state: 'running',
    sessionId: 's',
    startedAt: 0,
    input: '',
    detail: 'full',
  } as const
  return { principal, run }
}

/** Returns the data of server-sent events. */
function dataOf(text: string | undefined): readonly unknown[] {
  return [...(text ?? '').matchAll(/^data: (.*)$/gmu)].map(([, data = '']) => JSON.parse(data) as unknown)
}

/** A server whose runs change when the test says so. */
function changingServer(lists: readonly WatchedList[] = []) {
  const clock = fakeClock()
  const changed: ChangedRun[] = []
  const listeners = new Set<() => void>()
  const sessions = new Map<string, string>()
  let reads = 0
  const watch = createChangeWatch({
    clock,
    lists,
    newId: (prefix) => prefix,
    runService: {
      changedRuns: () => ({
        async read() {
          reads += 1
          return changed.splice(0)
        },
      }),
      approvals: async () => ({ approvals: [], total: 0 }),
      sessionsVersion: async (principal) => sessions.get(principal ?? '') ?? '',
      onActivity(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
  })
  return {
    clock,
    watch,
    changed,
    sessions,
    act: () => listeners.forEach((listener) => listener()),
    countReads: () => reads,
  }
}

it('many clients share one comparison of the store, and without clients there is none', async () => {
  const { clock, watch, countReads } = changingServer()
  const open = () => watch.open(ADA, { after: undefined, onChange: () => undefined })
  const readers = await Promise.all(Array.from({ length: 40 }, open))
  await clock.advance(10_000)
  expect(countReads()).toBe(11)
  for (const reader of readers) reader.close()
  await clock.advance(40_000)
  const before = countReads()
  await clock.advance(40_000)
  expect(countReads()).toBe(before)
  expect(clock.pending()).toBe(0)
})

it('changes of this process are sent together, at most four times per second', async () => {
  const { clock, watch, changed, act } = changingServer()
  let calls = 0
  const reader = await watch.open(ADA, { after: undefined, onChange: () => (calls += 1) })
  expect(dataOf(reader.next())).toEqual([{ type: 'reset' }])
  for (let at = 0; at < 1000; at += 10) {
    changed.push(changedRun(`run_${at}`))
    act()
    await clock.advance(10)
  }
  expect(calls).toBeLessThanOrEqual(5)
  expect(
    dataOf(reader.next()).flatMap((data) => (data as { readonly runs: readonly unknown[] }).runs),
  ).toHaveLength(100)
  watch.close()
})

it('a list that has changed is reported only to those who can load it', async () => {
  let version = '1'
  const { clock, watch } = changingServer([{ name: 'schedules', forOperators: true, version: () => version }])
  const open = (isOperator: boolean) =>
    watch.open({ principal: 'ada', isOperator }, { after: undefined, onChange: () => undefined })
  const [operator, user] = [await open(true), await open(false)]
  operator.next()
  user.next()
  version = '2'
  await clock.advance(6000)
  await settle()
  expect(dataOf(operator.next())).toEqual([{ type: 'reload', list: 'schedules' }])
  expect(user.next()).toBeUndefined()
  watch.close()
})

it('a change of the conversations is reported to their owner, at once after one in this process', async () => {
  const { clock, watch, sessions, act } = changingServer()
  const open = (principal: string) =>
    watch.open({ principal, isOperator: false }, { after: undefined, onChange: () => undefined })
  const [ada, bob] = [await open('ada'), await open('bob')]
  ada.next()
  bob.next()
  sessions.set('ada', 'renamed here')
  act()
  await clock.advance(300)
  await settle()
  expect(dataOf(ada.next())).toEqual([{ type: 'sessions' }])
  sessions.set('ada', 'renamed by another process')
  await clock.advance(6000)
  await settle()
  expect(dataOf(ada.next())).toEqual([{ type: 'sessions' }])
  expect(bob.next()).toBeUndefined()
  watch.close()
})

it('a reader that is too far behind gets a reset in place of the changes', () => {
  const log = createChangeLog('e')
  const reader = log.read(ADA, 'e-0')
  for (let run = 0; run < 501; run += 1) log.append({ type: 'runs', runs: [changedRun(`run_${run}`)] })
  expect(dataOf(reader.next())).toEqual([{ type: 'reset' }])
  expect(reader.next()).toBeUndefined()
  log.append({ type: 'runs', runs: [changedRun('other', 'bob')] })
  expect(reader.next()).toBeUndefined()
  expect(dataOf(log.read(ADA, 'e-502').next())).toEqual([])
})
