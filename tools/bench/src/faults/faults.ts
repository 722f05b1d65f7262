import { createHash } from 'node:crypto'

/** Share of the requests that fail, by kind of failure. Together at most 1. */
export const FAULT_MIX = {
  /** 429 with `Retry-After: 1`. */
  refused: 0.15,
  /** 500. */
  failed: 0.15,
  /** The connection is cut in the middle of the answer. */
  cut: 0.1,
  /** The answer stops in the middle and the connection stays open. */
  hung: 0.05,
} as const

export type Fault = keyof typeof FAULT_MIX

/** Settings of the runs, the same for both sides. */
export const FAULT_RUN = { childrenPerRun: 3, maxRetries: 6, idleTimeoutMs: 4000 } as const

/** Name of the tool that calls a child. */
export const CHILD = 'ask_clerk'
/** Answer of a child. */
export const CHILD_ANSWER = 'The part is done.'

/** A team of a parent and three children on one provider. */
export interface FaultyTeam {
  /** Returns the answer of the parent. Rejects if the run fails. */
  run(input: string): Promise<string>
  close(): Promise<void>
}

/** Returns the input of a run. */
export function runInput(run: number): string {
  return `run ${run}`
}

/** Returns the input of a child. */
export function childInput(run: string, child: number): string {
  return `${run}, part ${child}`
}

/** Returns a name for a model call that is the same for every client. */
export function callKey(input: string, results: number): string {
  return `${input} with ${results}`
}

/**
 * Returns the fault of one attempt of one call, or `undefined`. Depends only on its arguments, so that every client
 * meets the same faults in whatever order it sends its requests, and can complete the same runs.
 */
export function faultOf(key: string, attempt: number): Fault | undefined {
  const digest = createHash('sha256').update(`1 ${key} ${attempt}`).digest()
  let rest = digest.readUInt32LE(0) / 2 ** 32
  for (const fault of ['refused', 'failed', 'cut', 'hung'] as const) {
    if (rest < FAULT_MIX[fault]) return fault
    rest -= FAULT_MIX[fault]
  }
  return undefined
}

/** Counts the runs of which every call has an attempt without a fault. A client that uses all its retries completes them. */
export function completableRuns(runs: number): number {
  const { childrenPerRun, maxRetries } = FAULT_RUN
  const isAnswered = (key: string): boolean =>
    Array.from({ length: maxRetries + 1 }).some((_, attempt) => faultOf(key, attempt) === undefined)
  const isCompletable = (run: number): boolean => {
    const input = runInput(run)
    const children = Array.from({ length: childrenPerRun }, (_, child) =>
      callKey(childInput(input, child), 0),
    )
    return [callKey(input, 0), callKey(input, childrenPerRun), ...children].every(isAnswered)
  }
  return Array.from({ length: runs }, (_, run) => isCompletable(run)).filter(Boolean).length
}
