import type { RunEvent } from '@troupe/schema'
import type { CassetteEntry } from './cassette.ts'
import { textOf } from './to-entry.ts'

/**
 * Paths of the runs of one tree, by run id: `/` for the root run, `/1.2` for the run that its call 1.2
 * opened, `/1.2#2` for the run of a second attempt.
 */
export interface RunPaths {
  /** Returns the path of a run whose start event was seen. */
  pathOf(runId: string): string
  /** Learns paths from the next event. */
  addEvent(event: RunEvent): void
}

/** Creates run paths that are learned from the events of a run tree, in order. */
export function createRunPaths(rootRunId: string): RunPaths {
  const paths = new Map([[rootRunId, '/']])
  const attempts = new Map<string, number>()
  const pathOf = (runId: string): string => paths.get(runId) ?? `?${runId}`
  return {
    pathOf,
    addEvent: (event) => {
      const { runId, parentRunId, callId } = event
      if (event.type === 'tool-start') attempts.set(`${runId} ${callId}`, event.attempt)
      if (event.type !== 'run-start' || parentRunId === undefined || callId === undefined) return
      const attempt = attempts.get(`${parentRunId} ${callId}`) ?? 1
      paths.set(runId, childRunPath(pathOf(parentRunId), { callId, attempt }))
    },
  }
}

/** Returns the path of the run that a call opens. */
export function childRunPath(
  parent: string,
  { callId, attempt }: { readonly callId: string; readonly attempt: number },
): string {
  return `${parent === '/' ? '' : parent}/${callId}${attempt === 1 ? '' : `#${attempt}`}`
}

/**
 * Splits a run path into the path of the parent and the call. Returns `undefined` for the root run and for
 * text that is not a run path.
 */
export function parseRunPath(
  runPath: string,
):
  | { readonly parent: string; readonly turn: number; readonly ordinal: number; readonly attempt: number }
  | undefined {
  const end = runPath.lastIndexOf('/')
  const [, turn, ordinal, attempt = '1'] = LAST.exec(runPath.slice(end + 1)) ?? []
  if (turn === undefined || ordinal === undefined) return undefined
  return {
    parent: end === 0 ? '/' : runPath.slice(0, end),
    turn: Number(turn),
    ordinal: Number(ordinal),
    attempt: Number(attempt),
  }
}

const LAST = /^(\d+)\.(\d+)(?:#(\d+))?$/u

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
