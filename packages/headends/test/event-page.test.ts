import type { RunStore } from '@troupe/schema/ports'
import { sampleEvent } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { readEventPage } from '../src/feeds/event-page.ts'

/** Returns a store with a run of one log line per text. */
function storeOf(texts: readonly string[]): Pick<RunStore, 'events'> {
  const events = texts.map((text, index) => ({ ...sampleEvent('log', { text }), seq: index + 1 }))
  return { events: (_, { after = 0, limit = Infinity } = {}) => events.slice(after, after + limit) }
}

function seqsOf(texts: readonly string[]): readonly number[] {
  return texts.map((text) => (JSON.parse(text) as { readonly seq: number }).seq)
}

it('a page of events is read in several pieces and has no event twice', async () => {
  const store = storeOf(Array.from({ length: 1234 }, String))
  const seqs = seqsOf(await readEventPage(store, 'root', { after: 4, limit: 1200 }))
  expect(seqs).toEqual(Array.from({ length: 1200 }, (_, index) => index + 5))
  expect(seqsOf(await readEventPage(store, 'root', { after: 1204, limit: 1200 }))).toHaveLength(30)
})

it('a page of long events ends early, but has at least one', async () => {
  const store = storeOf(Array.from({ length: 4 }, () => 'x'.repeat(5 * 1024 * 1024)))
  expect(seqsOf(await readEventPage(store, 'root', { after: 0, limit: 10 }))).toEqual([1, 2])
  expect(seqsOf(await readEventPage(store, 'root', { after: 3, limit: 10 }))).toEqual([4])
})
