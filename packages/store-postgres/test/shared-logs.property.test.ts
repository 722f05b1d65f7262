import type { RunEvent } from '@troupe/schema'
import { sampleEvent, settle } from '@troupe/testkit/internal'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newSchema, openStore, useDatabase } from './support/test-store.ts'

const RUNS = ['root', 'a', 'b', 'c'] as const

const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('event' as const), run: fc.constantFrom(...RUNS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), run: fc.constantFrom(...RUNS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('follow' as const), after: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'turn' as const }) },
)

describe.skipIf(!HAS_POSTGRES)(`logs of one root run${POSTGRES_NOTE}`, () => {
  const database = useDatabase()

  it('logs of one root run in two stores share a sequence without gaps, which each follower receives once and in order', async () => {
    const schema = newSchema()
    const stores = [
      await openStore({ url: database.url, schema }),
      await openStore({ url: database.url, schema }),
    ] as const
    let roots = 0
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 150 }), async (actions) => {
        const rootRunId = `root ${(roots += 1)}`
        const [store, other] = stores
        const logs = new Map([['root', await store.open(rootRunId, 'me')]])
        for (const [runId, owner] of [
          ['a', store],
          ['b', other],
          ['c', other],
        ] as const)
          logs.set(runId, await owner.openRun({ rootRunId, runId }, 'me'))
        const numbers = new Map<string, number>(RUNS.map((run) => [run, 0]))
        const followed: { readonly after: number; readonly events: RunEvent[]; readonly stop: () => void }[] =
          []
        const errors: unknown[] = []
        for (const next of actions) {
          if (next.kind === 'event') {
            const number = (numbers.get(next.run) ?? 0) + 1
            numbers.set(next.run, number)
            const event = sampleEvent('warning', { runId: next.run, rootRunId, message: `${number}` })
            logs.get(next.run)?.append({ runId: next.run, event })
          }
          if (next.kind === 'wait') await logs.get(next.run)?.waitForCommit()
          if (next.kind === 'turn') await settle(2)
          if (next.kind === 'follow') {
            const events: RunEvent[] = []
            const stop = other.follow(
              rootRunId,
              next,
              (event) => events.push(event),
              (thrown) => errors.push(thrown),
            )
            followed.push({ after: next.after, events, stop })
          }
        }
        for (const log of logs.values()) await log.close()
        const events = await store.events(rootRunId)
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
        for (const run of RUNS)
          expect(
            events.filter(({ runId }) => runId === run).map((event) => 'message' in event && event.message),
          ).toEqual(Array.from({ length: numbers.get(run) ?? 0 }, (_, index) => `${index + 1}`))
        for (const { after, events: received, stop } of followed) {
          await expect.poll(() => received.length).toBe(Math.max(0, events.length - after))
          stop()
          expect(received).toEqual(events.slice(after))
        }
        expect(errors).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})
