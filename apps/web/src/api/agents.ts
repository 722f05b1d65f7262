/** One agent that is served, as the server tells of it. */
export interface ServedAgent {
  readonly name: string
  readonly description?: string
  readonly usage?: string
  readonly mode?: string
  readonly type?: string
  readonly default?: boolean
  readonly models?: readonly string[]
}

/** What is served. */
export interface AgentList {
  readonly agents: readonly ServedAgent[]
}
