import type { Outcome } from '@troupe/schema'

/** The result of an evaluation: every case with its repeats, and a comparison if one was asked for. */
export interface EvalReport {
  readonly version: 1
  /** ISO time. */
  readonly createdAt: string
  /** Commit of the team's folder, if it is a git repository. */
  readonly commit?: string
  readonly agent: string
  /** Digest of the cards of the team. */
  readonly cardDigest: string
  /** Models that replace those of the cards, or one entry `undefined` for the cards' own. */
  readonly variants: readonly EvalVariantReport[]
  readonly comparison?: EvalComparison
  /** Sentence that says why there is no comparison, if a configuration error broke every run of one side. */
  readonly comparisonProblem?: string
}

export interface EvalVariantReport {
  /** Model id given by `--models`; `undefined` for the cards' own. */
  readonly model?: string
  readonly cases: readonly EvalCaseReport[]
  readonly totals: EvalTotals
}

export interface EvalTotals {
  readonly passed: number
  readonly failed: number
  /** Repeats that broke for a reason outside the team (provider failure, budget of the eval); not in the rate. */
  readonly errors: number
  /** Passed / (passed + failed), with its Wilson interval at 95 %. `null` without repeats. */
  readonly rate: number | null
  readonly interval: readonly [low: number, high: number] | null
  readonly usage: {
    readonly inputTokens: number
    readonly outputTokens: number
    readonly cost: number | null
    readonly durationMs: number
  }
  /** Model calls answered by the provider, and by recordings. */
  readonly modelCalls: { readonly asked: number; readonly recorded: number }
}

export interface EvalCaseReport {
  readonly id: string
  readonly description?: string
  readonly repeats: readonly EvalRepeat[]
  readonly totals: EvalTotals
}

export interface EvalRepeat {
  /** Counted from 0. */
  readonly index: number
  readonly status: 'passed' | 'failed' | 'error'
  readonly runId?: string
  readonly outcome?: Outcome
  readonly output?: string
  readonly checks: readonly EvalCheckResult[]
  readonly error?: { readonly code: string; readonly message: string }
  readonly usage: EvalTotals['usage']
  /** True if every model call came from a recording. */
  readonly recorded: boolean
}

export interface EvalCheckResult {
  /** The expectation as one line, for example `contains "nine"`. */
  readonly name: string
  readonly passed: boolean
  /** False if the check is shown but does not decide. */
  readonly gate: boolean
  /** Why it failed. */
  readonly message?: string
  readonly score?: number
}

export type EvalVerdict = 'better' | 'worse' | 'not distinguishable'

export interface EvalComparison {
  /** The git ref or the path of the report that it is compared with. */
  readonly base: string
  readonly verdict: EvalVerdict
  /** Exact permutation test, stratified by case, two-sided. */
  readonly pValue: number
  /** Repeats per case that would settle it, if more are needed; `null` if unknown. */
  readonly repeatsNeeded: number | null
  readonly baseTotals: EvalTotals
  readonly cases: readonly {
    readonly id: string
    readonly verdict: EvalVerdict
    readonly pValue: number
    readonly base: EvalTotals
    readonly current: EvalTotals
  }[]
}
