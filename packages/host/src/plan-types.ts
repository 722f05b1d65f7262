import type { FieldReport } from '@troupe/cards'
import type { AgentType, ErrorCode } from '@troupe/schema'

/** Something wrong or doubtful in a team, located where it can be. */
export interface PlanProblem {
  readonly severity: 'error' | 'warning'
  readonly code: ErrorCode
  readonly message: string
  readonly file?: string
  /** From 1. */
  readonly line?: number
  /** From 1. */
  readonly column?: number
  /** What to do about it. */
  readonly fix?: string
  /** The agent it concerns, where one is known. */
  readonly agent?: string
}

/** A variable that an agent needs, and where its value would come from. */
export interface PlannedVariable {
  readonly name: string
  readonly agents: readonly string[]
  /** Such as `the model openai/gpt-5-mini` or `the MCP server github`. */
  readonly neededFor: string
  /** `override`, the file, or `process`; none: it is missing. */
  readonly origin?: string
}

/** One agent of a team as the plan shows it. */
export interface PlannedAgent {
  readonly name: string
  readonly file: string
  readonly type: AgentType
  readonly description?: string
  readonly default: boolean
  readonly hidden: boolean
  /** Configured models in order of fallback, the default filled in. */
  readonly models: readonly string[]
  /** Names of the children that were found. */
  readonly children: readonly string[]
  readonly servers: readonly string[]
  readonly functionTools: readonly string[]
  readonly toolHooks: readonly string[]
  /** Longest way from this agent down: 0 without children. */
  readonly height: number
  /** False when this agent or one it can reach has an error. */
  readonly runnable: boolean
}

/** How one card was read. */
export interface PlannedCard {
  readonly file: string
  /** The agent of the card; none when it has errors. */
  readonly agent?: string
  readonly dialect: string
  /** What became of each key. */
  readonly fields: readonly FieldReport[]
}

/** A team as plain data: `troupe check` prints it, `run` executes it, a server shows it. */
export interface HostPlan {
  /** The agent that is run when none is named. */
  readonly entry?: string
  readonly agents: readonly PlannedAgent[]
  readonly variables: readonly PlannedVariable[]
  readonly problems: readonly PlanProblem[]
  /** Every card of the team that is a file, field by field. */
  readonly cards: readonly PlannedCard[]
  /** The configuration file in force. */
  readonly configFile?: string
}
