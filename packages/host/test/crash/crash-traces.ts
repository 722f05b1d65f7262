import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json, RunEvent } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { effectsFile, ROOT, type CrashSite } from './crash-team.ts'

/** The state of a run at one moment, as seen from outside. */
export interface CrashTraces {
  /** Events that the killed process received. They count as shown to the user. */
  readonly acknowledged: readonly RunEvent[]
  /** The events in the store. */
  readonly events: readonly RunEvent[]
  /** By run, its steps. */
  readonly steps: ReadonlyMap<string, ReadonlyMap<string, Json>>
  /** How often each effect on the world took place. */
  readonly effects: ReadonlyMap<string, number>
  /** How often each turn was paid for. */
  readonly paid: ReadonlyMap<string, number>
}

/** Reads everything; opens no run. */
export async function readTraces(site: CrashSite, store: RunStore): Promise<CrashTraces> {
  const events = await store.events(ROOT)
  const runs = [...new Set(events.map(({ runId }) => runId))]
  const steps = await Promise.all(runs.map(async (runId) => [runId, await store.steps(ROOT, runId)] as const))
  return {
    acknowledged: linesOf(join(site.folder, 'acknowledged.jsonl')).map(
      (line) => JSON.parse(line) as RunEvent,
    ),
    events,
    steps: new Map(steps),
    effects: countOf(linesOf(effectsFile(site))),
    paid: countOf(site.provider.paid),
  }
}

/** The whole lines of a file; none where it is not there. */
export function linesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
}

function countOf(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}
