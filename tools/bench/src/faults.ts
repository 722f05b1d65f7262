import { createHash } from 'node:crypto'

/** Shares of the requests that a provider fails, by the kind of failure; together at most 1. */
export interface FaultMix {
  /** 429 with `Retry-After: 1`. */
  readonly refused: number
  /** 500. */
  readonly failed: number
  /** The connection is cut in the middle of the answer. */
  readonly cut: number
  /** The answer stops in the middle and the connection stays open. */
  readonly hung: number
}

export type Fault = keyof FaultMix

/** How the runs are made, the same for both sides. */
export const FAULT_RUN = {
  runs: 200,
  childrenPerRun: 3,
  maxRetries: 6,
  idleTimeoutMs: 4000,
} as const

/** The input of a run. */
export function runInput(run: number): string {
  return `run ${run}`
}

/** The input of a child. */
export function childInput(run: string, child: number): string {
  return `${run}, part ${child}`
}

/** Names one model call, whichever client makes it: the text of the user and the number of results it comes with. */
export function callKey(input: string, results: number): string {
  return `${input} with ${results}`
}

/**
 * Returns what happens to one attempt of one call. The same seed gives every client the same faults, however it orders its requests, so that
 * clients with as many retries can complete the same runs.
 */
export function faultOf(
  mix: FaultMix,
  { seed, key, attempt }: { readonly seed: number; readonly key: string; readonly attempt: number },
): Fault | undefined {
  const digest = createHash('sha256').update(`${seed} ${key} ${attempt}`).digest()
  let rest = digest.readUInt32LE(0) / 2 ** 32
  for (const fault of ['refused', 'failed', 'cut', 'hung'] as const) {
    if (rest < mix[fault]) return fault
    rest -= mix[fault]
  }
  return undefined
}

/** Counts the runs of which every call has an attempt without a fault, so that a client which uses all its retries completes them. */
export function completableRuns(mix: FaultMix, seed: number): number {
  const { runs, childrenPerRun, maxRetries } = FAULT_RUN
  const isAnswered = (key: string): boolean =>
    Array.from({ length: maxRetries + 1 }).some(
      (_, attempt) => faultOf(mix, { seed, key, attempt }) === undefined,
    )
  const isCompletable = (run: number): boolean => {
    const input = runInput(run)
    const children = Array.from({ length: childrenPerRun }, (_, child) =>
      callKey(childInput(input, child), 0),
    )
    return [callKey(input, 0), callKey(input, childrenPerRun), ...children].every(isAnswered)
  }
  return Array.from({ length: runs }, (_, run) => isCompletable(run)).filter(Boolean).length
}
