import type { AgentTool } from '@troupe/schema'

/** The tools that an agent itself offers (`exports.tools`), as its card has them. */
export interface ShelfView {
  readonly agent: string
  /** The card. */
  readonly file: string
  /** Why the card cannot be written; none: it can. */
  readonly readOnly?: string
  /** Of the text of the card: a change of another one is refused. None where it cannot be written. */
  readonly version?: string
  readonly tools: readonly AgentTool[]
}

/** One change of the tools of an agent: a new one, one in place of another, or one less. */
export interface ShelfChange {
  readonly agent: string
  /** The name of the tool that is replaced or taken away; none: `tool` is new. */
  readonly name?: string
  /** None: the tool is taken away. */
  readonly tool?: AgentTool
  /** The card that the change is made to; none: whatever is there. */
  readonly version?: string | undefined
}

/** Where exported tools are kept. */
export interface ToolShelf {
  /** Rejects with `agent_unknown`, and `card_read_only` for a principal that may not read cards; so do all that follow. */
  read(agent: string, principal: string): Promise<ShelfView>
  /**
   * Writes the change into the card, whose comments stay, and has the team read it again. Rejects with `card_read_only`, `card_changed`, `tool_unknown`,
   * `tool_name_conflict`, and with what is wrong with the card as it would be; the card is then as it was.
   */
  change(change: ShelfChange, principal: string): Promise<ShelfView>
  /** The front matter of the agent with all keys and their values in force, to copy (C58, C71). */
  template(agent: string, principal: string): Promise<string>
}
