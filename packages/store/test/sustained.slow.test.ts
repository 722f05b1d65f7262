import type { EventDraft } from '@troupe/schema'
import type { RunTreeLog } from '@troupe/schema/ports'
import { sampleEvent } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { openRawDatabase } from './support/raw-database.ts'
import { openStoreFile } from './support/store-file.ts'

/** The duration: `SUSTAINED_MS=30000` runs for 30 s and enforces the thresholds. */
const LASTS_MS = Number(process.env['SUSTAINED_MS'] ?? 300)
const ROOTS = 10
/** Events that are written between two syncs of the disk. */
const BURST = 300
/** Durable events per second, and their ratio to the throughput of `node:sqlite` alone; lenient for a short sample. */
const LEAST =
  process.env['SUSTAINED_MS'] === undefined ? { perSecond: 0, ratio: 0 } : { perSecond: 20_000, ratio: 0.25 }

it(
  'durable events of ten root runs are written at a constant rate, and none is missing',
  { timeout: LASTS_MS * 3 + 120_000 },
  async () => {
    const burst = Array.from({ length: BURST }, (_, index) => commonEvent(index))
    const raw = await openRawDatabase()
    const { store } = await openStoreFile()
    const logs: RunTreeLog[] = []
    for (let index = 0; index < ROOTS; index += 1) logs.push(await store.open(rootName(index), 'me'))
    const told = countInOrder(logs)

    // half of it before and half after, because other programs use the disk too
    const before = await repeat(LASTS_MS / 2, () => raw.writeBatch(burst))
    const own = await repeat(LASTS_MS, async () => {
      for (const [index, event] of burst.entries())
        logs[index % ROOTS]?.append({ runId: rootName(index % ROOTS), event })
      for (const log of logs) await log.waitForCommit()
    })
    const behind = await repeat(LASTS_MS / 2, () => raw.writeBatch(burst))

    const perSecond = rate(own)
    const ratio = perSecond / rate({ times: [...before.times, ...behind.times], ms: before.ms + behind.ms })
    process.stdout.write(
      `${own.times.length * BURST} durable events in ${(own.ms / 1000).toFixed(1)} s: ${Math.round(perSecond)} a second, ` +
        `${ratio.toFixed(2)} of node:sqlite; bursts of ${BURST} took ${percentile(own.times, 0.5)} ms, p99 ${percentile(own.times, 0.99)} ms\n`,
    )
    expect(raw.count()).toBe((before.times.length + behind.times.length) * BURST)
    expect(told()).toBe(own.times.length * BURST)
    const kept = await store.roots()
    expect(kept.reduce((sum, { lastSeq }) => sum + lastSeq, 0)).toBe(own.times.length * BURST)
    for (const { rootRunId, lastSeq } of kept)
      expect(await store.events(rootRunId, { after: lastSeq - 2 })).toMatchObject([
        { seq: lastSeq - 1 },
        { seq: lastSeq },
      ])
    expect(perSecond).toBeGreaterThanOrEqual(LEAST.perSecond)
    expect(ratio).toBeGreaterThanOrEqual(LEAST.ratio)
  },
)

function rootName(index: number): string {
  return `root ${index}`
}

/** Returns an event of common size. */
function commonEvent(index: number): EventDraft {
  return sampleEvent('tool-call', {
    callId: `${index}.1`,
    toolName: 'files__search',
    source: 'mcp',
    server: 'files',
    args: { query: 'a few words to search for', limit: 20 },
    toolUseId: `call_${index}`,
  })
}

/** Counts the events that the listeners have received, each with the next `seq` of its root. */
function countInOrder(logs: readonly RunTreeLog[]): () => number {
  const last = logs.map(() => 0)
  for (const [index, log] of logs.entries())
    log.subscribe(({ seq }) => {
      if (seq === (last[index] ?? 0) + 1) last[index] = seq
    })
  return () => last.reduce((sum, seq) => sum + seq, 0)
}

interface Timing {
  /** The time of each burst, in ms. */
  readonly times: readonly number[]
  readonly ms: number
}

async function repeat(ms: number, write: () => Promise<void>): Promise<Timing> {
  const begun = performance.now()
  const times: number[] = []
  for (let last = begun; last - begun < ms;) {
    await write()
    const now = performance.now()
    times.push(now - last)
    last = now
  }
  return { times, ms: performance.now() - begun }
}

function rate({ times, ms }: Timing): number {
  return (times.length * BURST * 1000) / ms
}

function percentile(times: readonly number[], part: number): string {
  return (times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0).toFixed(1)
}
