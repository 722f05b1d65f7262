import type { JsonObject } from '@troupe/schema'
import type { TeamOverrides } from '@troupe/schema/ports'
import type { AgentProblem } from '../routes/agent-shapes.ts'

/** The card of an agent as a text. */
export interface CardSource {
  readonly agent: string
  /** Path or URL of the card. */
  readonly file: string
  /** Card format, such as `troupe`. `undefined` if the agent has no local file. */
  readonly format?: string
  /** The prompt of the agent as it runs. */
  readonly prompt: string
  /** Text of the file. `undefined` if the agent has no local file. */
  readonly text?: string
  /** Reason why the card cannot be edited; `undefined` if it can. */
  readonly readOnly?: string
  /** Version of the text. `undefined` if the card cannot be edited. */
  readonly version?: string
}

/** The text of a card to save, and the version that it is based on. */
export interface CardSave {
  readonly text: string
  readonly version: string
}

/** An earlier version of a card. */
export interface CardRevision {
  /** Identifies the version for reading it. */
  readonly id: string
  /** Time at which it was written, in ms since 1970. */
  readonly time: number
  /** Subject of its commit. `undefined` for a version that the editor replaced. */
  readonly subject?: string
  readonly author?: string
}

/** The cards of a team as texts. */
export interface CardRepository {
  /** Returns the card of an agent. Rejects with `agent_unknown`; so do the other methods. */
  read(agent: string): Promise<CardSource>
  /** Plans the team with an unsaved text, and returns the problems that concern it. Writes nothing. */
  check(agent: string, text: string): Promise<readonly AgentProblem[]>
  /**
   * Writes a text into the file and reloads the team. Rejects with `card_read_only`, `card_changed`, or the problem
   * of the text if the team cannot run with it; the file is then restored.
   */
  save(agent: string, edit: CardSave): Promise<CardSource>
  /**
   * Returns the prompt, the models and the model settings of an unsaved text as overrides for a trial run. Rejects
   * with `card_edit_refused` if the text changes anything else that affects a run.
   */
  overrides(agent: string, text: string): Promise<Omit<TeamOverrides, 'model'>>
  /** Returns the JSON Schema of cards. */
  schema(): JsonObject
  /** Returns the earlier versions of a card, the newest first. */
  revisions(agent: string): Promise<readonly CardRevision[]>
  /** Returns the text of an earlier version. Rejects with `request_invalid` for an unknown id. */
  revision(agent: string, id: string): Promise<string>
}
