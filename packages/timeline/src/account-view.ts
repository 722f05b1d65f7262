import type { Outcome, ToolSource, Usage } from '@troupe/schema'

/** What a tree of runs used: a fold over the events that a timeline shows, so the two cannot disagree. */
export interface Accounts {
  readonly rootRunId: string | undefined
  readonly seq: number
  readonly total: Usage
  /** One row an agent name, whatever the number of its instances (A12, A24); in order of first appearance. Their usages sum to `total`. */
  readonly byAgent: readonly AgentAccount[]
  /** One row a run (A89), in order of start. Their usages sum to `total`. */
  readonly byInstance: readonly InstanceAccount[]
}

/** What was used under one name (C54, C55). */
export interface AccountDetails {
  readonly usage: Usage
  readonly models: readonly ModelAccount[]
  readonly tools: readonly ToolAccount[]
}

/** All runs of one agent. */
export interface AgentAccount extends AccountDetails {
  readonly agent: string
  readonly runs: number
  /** Sum of the durations of the runs that have ended. */
  readonly durationMs: number
}

/** One run, without its children. Times are wall time in ms. */
export interface InstanceAccount extends AccountDetails {
  /** The id of the run: instance names repeat. */
  readonly runId: string
  readonly parentRunId?: string
  readonly agent: string
  readonly instance: string
  readonly startedAt: number
  readonly endedAt?: number
  readonly durationMs?: number
  readonly outcome?: Outcome
}

/** The calls of one model. */
export interface ModelAccount {
  readonly provider: string
  readonly model: string
  readonly usage: Usage
  readonly latencyMs: number
}

/** The calls of one tool; how they ended stands in `outcomes`. */
export interface ToolAccount {
  readonly toolName: string
  readonly source: ToolSource
  readonly server?: string
  readonly calls: number
  /** More than `calls` where a hook repeated one. */
  readonly attempts: number
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>
  readonly bytesIn: number
  readonly bytesOut: number
  readonly durationMs: number
}
