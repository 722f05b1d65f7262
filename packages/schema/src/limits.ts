/** What a run may use. Times in ms. See docs/interface.md §2, `limits`. */
export interface Limits {
  /** Model turns of one run. */
  readonly maxTurns: number
  readonly maxToolCallsPerTurn: number
  /** Child calls of one turn that run at once; the rest wait in order. */
  readonly maxParallel: number
  /** False: all calls of a turn run one after the other. */
  readonly parallelToolCalls: boolean
  /** Depth of the deepest run; the root has 0. */
  readonly maxDepth: number
  /** Runs of one root, itself included. */
  readonly maxRuns: number
  readonly hookTimeout: number
  readonly llmTimeout: number
  readonly toolTimeout: number
  readonly childTimeout: number
  /** Silence of an open model stream. */
  readonly idleTimeout: number
  /** The whole run; none: no limit. */
  readonly timeout?: number
  /** Further attempts of a failed model call. */
  readonly maxRetries: number
  readonly approvalTimeout: number
  /** Tokens of the run and its children; none: no limit. */
  readonly maxTokens?: number
  /** Cost in USD of the run and its children; none: no limit. */
  readonly maxCost?: number
  readonly maxToolResultBytes: number
}

const SECOND = 1000
const MINUTE = 60 * SECOND

/** The limits of a card that sets none. */
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
