import type { AgentMode, AgentType, Failure, Json, JsonObject, Limits } from '@troupe/schema'

/** A served agent with its plan (`GET /api/agents`). Variables have names and origins, never values. */
export interface ServedAgent {
  readonly name: string
  readonly description?: string
  readonly usage?: string
  readonly version?: string
  readonly type: AgentType
  readonly mode: AgentMode
  /** True if the agent runs when no agent is named. */
  readonly entry: boolean
  readonly models: readonly string[]
  readonly children: readonly string[]
  readonly servers: readonly string[]
  readonly tools: readonly ServedTool[]
  readonly reaches: readonly (ServedTool & { readonly via: readonly string[] })[]
  readonly worstCase: AgentWorstCase
  readonly limits: Partial<Limits>
  readonly input?: JsonObject
  readonly output?: JsonObject
  readonly env: readonly AgentVariable[]
  readonly problems: readonly AgentProblem[]
}

/** A tool of an agent. */
export interface ServedTool {
  readonly name: string
  readonly source: 'mcp' | 'function' | 'agent' | 'runtime'
  readonly server?: string
  readonly permission: 'allow' | 'ask' | 'deny'
}

/** Upper bounds of one run. A missing field means no bound. */
export interface AgentWorstCase {
  readonly runs: number
  readonly modelCalls: number
  readonly toolCalls: number
  readonly tokens?: number
  /** In USD. */
  readonly cost?: number
  readonly durationMs?: number
}

/** A variable that an agent needs. */
export interface AgentVariable {
  readonly name: string
  readonly neededFor: string
  readonly isSet: boolean
  /** The origin of the value. Only sent to the operator. */
  readonly origin?: string
}

/** An error or a warning about an agent. */
export interface AgentProblem extends Pick<Failure, 'code' | 'message'> {
  readonly severity: 'error' | 'warning'
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly fix?: string
  readonly [key: string]: Json | undefined
}

/** The served agents, the entry agent first. */
export interface AgentList {
  readonly agents: readonly ServedAgent[]
}

/** The path of the list of agents. */
export const AGENTS_PATH = 'api/agents'

/** Returns the path of an agent. */
export function agentPath(agent: string): string {
  return `${AGENTS_PATH}/${encodeURIComponent(agent)}`
}
