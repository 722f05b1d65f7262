import type { AgentTool } from '@troupe/schema'

/** The tools that an agent exports (`exports.tools`), as its card has them. */
export interface ToolList {
  readonly agent: string
  /** Path of the card. */
  readonly file: string
  /** Reason why the card cannot be written; `undefined` if it can. */
  readonly readOnly?: string
  /**
   * Version of the card's text. Edits of another version are rejected. `undefined` if the card cannot be
   * written.
   */
  readonly version?: string
  readonly tools: readonly AgentTool[]
}

/** An edit of the tools of an agent: adds, replaces or removes one. */
export interface ToolEdit {
  readonly agent: string
  /** Name of the tool to replace or remove; `undefined` if `tool` is new. */
  readonly name?: string
  /** The new tool; `undefined` to remove one. */
  readonly tool?: AgentTool
  /** Version of the card that the edit is based on; `undefined` to accept any. */
  readonly version?: string | undefined
}

/** The persistent set of exported tools. */
export interface ToolRepository {
  /** Returns the tools of an agent. Rejects with `agent_unknown`; so do the other methods. */
  read(agent: string): Promise<ToolList>
  /**
   * Writes an edit into the card, keeps the comments, and reloads the team. Rejects with `card_read_only`,
   * `card_changed`, `tool_unknown`, `tool_name_conflict`, or the problem of the edited card; the card is then
   * restored.
   */
  change(change: ToolEdit): Promise<ToolList>
  /** Returns the front matter of the agent with all keys and their effective values, to copy. */
  template(agent: string): Promise<string>
}
