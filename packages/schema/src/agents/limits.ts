/** Limits of a run. Times are in ms. See docs/interface.md §2, `limits`. */
export interface Limits {
  /** Maximum number of model turns of one run. */
  readonly maxTurns: number
  readonly maxToolCallsPerTurn: number
  /** Maximum number of concurrent child calls in one turn. Further calls wait in order. */
  readonly maxParallel: number
  /** False to run the calls of a turn one after the other. */
  readonly parallelToolCalls: boolean
  /** Maximum depth of a run. The root run has depth 0. */
  readonly maxDepth: number
  /** Maximum number of runs in the run tree, including the root run. */
  readonly maxRuns: number
  readonly hookTimeout: number
  readonly llmTimeout: number
  readonly toolTimeout: number
  readonly childTimeout: number
  /** Maximum silence of an open model stream. */
  readonly idleTimeout: number
  /** Time limit of the whole run. Default: no limit. */
  readonly timeout?: number
  /** Maximum number of retries of a failed model call. */
  readonly maxRetries: number
  readonly approvalTimeout: number
  /** Maximum number of tokens of the run and its children. Default: no limit. */
  readonly maxTokens?: number
  /** Maximum cost in USD of the run and its children. Default: no limit. */
  readonly maxCost?: number
  readonly maxToolResultBytes: number
}

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Limits of a card that sets none. */
export const DEFAULT_LIMITS: Limits = Object.freeze({
  maxTurns: 10,
  maxToolCallsPerTurn: 128,
  maxParallel: 4,
  parallelToolCalls: true,
  maxDepth: 3,
  maxRuns: 200,
  hookTimeout: MINUTE,
  llmTimeout: 10 * MINUTE,
  toolTimeout: 5 * MINUTE,
  childTimeout: 10 * MINUTE,
  idleTimeout: 2 * MINUTE,
  maxRetries: 2,
  approvalTimeout: 10 * MINUTE,
  maxToolResultBytes: 262_144,
})
