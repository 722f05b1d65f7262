import type { RunEvent } from '@troupe/schema'

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
