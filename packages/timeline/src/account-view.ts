import type { Outcome, ToolSource, Usage } from '@troupe/schema'

/** Usage of a run tree, reduced from the same events that a timeline shows, so the two cannot disagree. */
export interface Accounts {
  readonly rootRunId: string | undefined
  readonly seq: number
  readonly total: Usage
  /**
   * One row per agent name, for all its instances, in order of first appearance. Their usages sum to `total`.
   */
  readonly byAgent: readonly AgentAccount[]
  /** One row per run, in order of start. Their usages sum to `total`. */
  readonly byInstance: readonly InstanceAccount[]
}

/** Usage of one agent or run. */
export interface AccountDetails {
  readonly usage: Usage
  readonly models: readonly ModelAccount[]
  readonly tools: readonly ToolAccount[]
}

/** Account of all runs of one agent. */
export interface AgentAccount extends AccountDetails {
  readonly agent: string
  readonly runs: number
  /** Sum of the durations of the runs that have ended, in ms. */
  readonly durationMs: number
}

/** Account of one run, without its children. Times are wall time in ms. */
export interface InstanceAccount extends AccountDetails {
  /** The run id identifies the row, because instance names repeat. */
  readonly runId: string
  readonly parentRunId?: string
  readonly agent: string
  readonly instance: string
  readonly startedAt: number
  readonly endedAt?: number
  readonly durationMs?: number
  readonly outcome?: Outcome
}

/** Account of the calls of one model. */
export interface ModelAccount {
  readonly provider: string
  readonly model: string
  readonly usage: Usage
  readonly latencyMs: number
}

/** Account of the calls of one tool, with their outcomes. */
export interface ToolAccount {
  readonly toolName: string
  readonly source: ToolSource
  readonly server?: string
  readonly calls: number
  /** More than `calls` if a hook repeated a call. */
  readonly attempts: number
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>
  readonly bytesIn: number
  readonly bytesOut: number
  readonly durationMs: number
}
