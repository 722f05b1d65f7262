import type { FieldReport } from '@troupe/cards'
import type { AgentType, ErrorCode, ToolCapability, ToolSource } from '@troupe/schema'

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

/** One tool of an agent as the plan shows it. */
export interface PlannedTool {
  /** The canonical name (R2). */
  readonly name: string
  readonly wireName: string
  readonly source: ToolSource
  readonly server?: string
  /** Whether a call runs, asks a person first, or is refused. */
  readonly permission: 'allow' | 'ask' | 'deny'
  readonly capabilities?: readonly ToolCapability[]
}

/** A tool that an agent reaches through its children. */
export interface ReachedTool extends PlannedTool {
  /** The agents on the way, the owner of the tool last. */
  readonly via: readonly string[]
}

/** Upper bounds of what one run of an agent can start. */
export interface WorstCase {
  /** Runs, its own included. */
  readonly runs: number
  /** Without retries of calls that failed. */
  readonly modelCalls: number
  readonly toolCalls: number
  /** None: `limits.maxTokens` is not set. */
  readonly tokens?: number
  /** USD; none: `limits.maxCost` is not set. */
  readonly cost?: number
  /** None: `limits.timeout` is not set. */
  readonly durationMs?: number
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
  /** Those whose price is not known: their calls cost `null` and do not count against `maxCost`. */
  readonly unpriced: readonly string[]
  /** What the providers of its models make of its output schema: what they do not enforce is checked when the answer is there. */
  readonly outputNotes: readonly string[]
  /** Names of the children that were found. */
  readonly children: readonly string[]
  readonly servers: readonly string[]
  readonly functionTools: readonly string[]
  readonly toolHooks: readonly string[]
  /** Its own tools, its children among them; those of its MCP servers only after `inspect`. */
  readonly tools: readonly PlannedTool[]
  /** What it reaches through its children. */
  readonly reaches: readonly ReachedTool[]
  /** MCP servers whose tools are not listed here. */
  readonly unlistedServers: readonly string[]
  readonly worstCase: WorstCase
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
  /** Agents that a run of the entry never comes to. */
  readonly unreached: readonly string[]
  readonly variables: readonly PlannedVariable[]
  readonly problems: readonly PlanProblem[]
  /** Every card of the team that is a file, field by field. */
  readonly cards: readonly PlannedCard[]
  /** The configuration file in force. */
  readonly configFile?: string
}
