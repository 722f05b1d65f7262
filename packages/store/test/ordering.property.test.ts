import type { RunEvent } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { fakeClock, recordEvents, sampleEvent, settle, type EventRecord } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMemoryStore } from '../src/index.ts'
import { openStoreFile } from './support/store-file.ts'

const action = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ kind: 'event' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'step' as const }) },
  { weight: 5, arbitrary: fc.constant({ kind: 'tell' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'turn' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('join' as const), after: fc.nat(20) }) },
)

const STORES: Readonly<Record<string, () => RunStore | Promise<RunStore>>> = {
  memory: () => createMemoryStore({ clock: fakeClock() }),
  SQLite: async () => (await openStoreFile()).store,
}

it.each(Object.entries(STORES))(
  '%s: every listener receives each durable event once and in order, and transient ones in between',
  async (_, create) => {
    const store = await create()
    let roots = 0
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 400 }), async (actions) => {
        roots += 1
        const log = await store.open(`root ${roots}`, 'me')
        const heard: EventRecord[] = []
        let written = 0
        for (const next of [{ kind: 'join' as const, after: 0 }, ...actions]) {
          if (next.kind === 'event') log.append({ runId: 'run', event: sampleEvent('turn-start') })
          if (next.kind === 'event') written += 1
          if (next.kind === 'step') log.append({ runId: 'run', step: { key: 'begin', value: null } })
          if (next.kind === 'tell') log.emitTransient(sampleEvent('text-delta'))
          if (next.kind === 'turn') await settle(1)
          if (next.kind === 'join') {
            const record = recordEvents()
            heard.push(record)
            log.subscribe(record.listener, { after: next.after })
          }
        }
        await log.close()
        for (const record of heard) expectInOrder(record, written)
        expect(heard[0]?.events.filter((event) => event.seq !== undefined)).toHaveLength(written)
        const kept = await store.events(`root ${roots}`)
        expect(kept.map((event) => event.seq)).toEqual(kept.map((_, index) => index + 1))
        expect(kept).toHaveLength(written)
      }),
      { numRuns: 60 },
    )
  },
)

function expectInOrder({ events }: EventRecord, last: number): void {
  const seqs = events.flatMap((event) => event.seq ?? [])
  expect(seqs).toEqual(seqs.map((_, index) => last - seqs.length + 1 + index))
  expect(events.filter((event, index) => isMisplaced(event, events.slice(0, index)))).toEqual([])
}

function isMisplaced(event: RunEvent, before: readonly RunEvent[]): boolean {
  const last = before.findLast((earlier) => earlier.seq !== undefined)
  return event.seq === undefined && last !== undefined && event.after !== last.seq
}
