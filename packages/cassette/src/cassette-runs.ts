import type { CassetteEntry } from './cassette.ts'
import { parseRunPath } from './run-paths.ts'
import { textOf } from './to-entry.ts'

/** A run of a cassette, described by its `run-start` event. */
export interface CassetteRun {
  readonly place: string
  readonly runId: string
  readonly parentRunId?: string
  readonly agent: string
  readonly instance: string
  readonly depth: number
  readonly calledAs?: string
  readonly input: string
}

/** Derives the id of a child run from the call that opened it. */
export type ChildId = (callSite: {
  readonly parentRunId: string
  readonly turn: number
  readonly ordinal: number
  readonly attempt: number
}) => string

/** Returns the runs of a cassette by id, in the order in which they started. */
export function cassetteRuns(
  { runId: rootRunId, entries }: { readonly runId: string; readonly entries: readonly CassetteEntry[] },
  childId: ChildId,
): ReadonlyMap<string, CassetteRun> {
  const byPath = new Map<string, CassetteRun>()
  for (const entry of entries) {
    if (entry.event !== 'run-start') continue
    const { run: runPath } = entry
    const site = parseRunPath(runPath)
    const parent = site && byPath.get(site.parent)
    const names = {
      place: runPath,
      agent: textOf(entry['agent']),
      instance: textOf(entry['instance']),
      input: textOf(entry['input']),
      ...(typeof entry['calledAs'] === 'string' ? { calledAs: entry['calledAs'] } : {}),
    }
    if (site === undefined || parent === undefined)
      byPath.set(runPath, { ...names, runId: rootRunId, depth: 0 })
    else {
      const runId = childId({ ...site, parentRunId: parent.runId })
      byPath.set(runPath, { ...names, runId, parentRunId: parent.runId, depth: parent.depth + 1 })
    }
  }
  return new Map(Array.from(byPath.values(), (run) => [run.runId, run]))
}
