import type { FieldReport } from '@troupe/cards'
import type { AgentType, ToolCapability, ToolDefinition, ToolSource } from '@troupe/schema'
import type { PlannedPrice } from '../check/check-agent.ts'
import type { PlanProblem } from '../config/plan-problem.ts'

/** A variable that agents need, and the source of its value. */
export interface PlannedVariable {
  readonly name: string
  readonly agents: readonly string[]
  /** For example `the model openai/gpt-5-mini` or `the MCP server github`. */
  readonly neededFor: string
  /** Name of the MCP server that needs the variable, if one does. */
  readonly server?: string
  /** `override`, the file, or `process`. `undefined` if the variable is missing. */
  readonly origin?: string
}

/** A tool of an agent in the plan. */
export interface PlannedTool {
  /** Canonical name. */
  readonly name: string
  readonly wireName: string
  readonly source: ToolSource
  readonly server?: string
  /** Decision for a call: runs, needs approval, or is denied. */
  readonly permission: 'allow' | 'ask' | 'deny'
  readonly capabilities?: readonly ToolCapability[]
  /** Input schema of a function. */
  readonly inputSchema?: ToolDefinition['inputSchema']
}

/** A tool that an agent can reach through its children. */
export interface ReachedTool extends PlannedTool {
  /** Agents on the path, ending with the owner of the tool. */
  readonly via: readonly string[]
}

/** Upper bounds for one run of an agent, its child runs included. */
export interface WorstCase {
  /** Runs, including the run itself. */
  readonly runs: number
  /** Without retries of failed calls. */
  readonly modelCalls: number
  readonly toolCalls: number
  /** `undefined` if `limits.maxTokens` is not set. */
  readonly tokens?: number
  /** In USD. `undefined` if `limits.maxCost` is not set. */
  readonly cost?: number
  /** `undefined` if `limits.timeout` is not set. */
  readonly durationMs?: number
}

/** An agent of a team in the plan. */
export interface PlannedAgent {
  readonly name: string
  readonly file: string
  readonly type: AgentType
  readonly description?: string
  readonly default: boolean
  readonly hidden: boolean
  /** Model ids in order of fallback, defaults included. */
  readonly models: readonly string[]
  /** Prices of its models, as far as they are known. */
  readonly prices: readonly PlannedPrice[]
  /** Models without a known price. Their calls cost `null` and do not count against `maxCost`. */
  readonly unpriced: readonly string[]
  /**
   * Notes on how the providers of its models handle its output schema. Parts they do not enforce are
   * validated after the answer.
   */
  readonly outputNotes: readonly string[]
  /** Names of the children that were found. */
  readonly children: readonly string[]
  readonly servers: readonly string[]
  readonly functionTools: readonly string[]
  readonly toolHooks: readonly string[]
  /** Guards with their place and action, such as `input: troupe:injection (deny)`. */
  readonly guards: readonly string[]
  /** Own tools including children. Tools of MCP servers are included only after `inspect`. */
  readonly tools: readonly PlannedTool[]
  /** Tools reached through its children. */
  readonly reaches: readonly ReachedTool[]
  /** MCP servers whose tools are not included in `tools`. */
  readonly unlistedServers: readonly string[]
  readonly worstCase: WorstCase
  /** Length of the longest path to a descendant; 0 without children. */
  readonly height: number
  /** False if the agent, or one it can reach, has an error. */
  readonly runnable: boolean
}

/** Report on how a card was read. */
export interface PlannedCard {
  readonly file: string
  /** Name of the agent. `undefined` if the card has errors. */
  readonly agent?: string
  readonly dialect: string
  /** How each key was handled. */
  readonly fields: readonly FieldReport[]
}

/** A team as plain data. `troupe check` prints it, `run` executes it, and servers show it. */
export interface HostPlan {
  /** Agent to run if none is named. */
  readonly entry?: string
  readonly agents: readonly PlannedAgent[]
  /** Agents that cannot be reached from the entry. */
  readonly unreached: readonly string[]
  readonly variables: readonly PlannedVariable[]
  readonly problems: readonly PlanProblem[]
  /** All cards that are files, field by field. */
  readonly cards: readonly PlannedCard[]
  /** Path of the configuration file in use. */
  readonly configFile?: string
}
