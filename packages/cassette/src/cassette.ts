import type { Attachment, Json, JsonObject, Message, ModelPrice, OutputContract } from '@troupe/schema'

/** A recorded run: its events in order, and at each call of a model what was asked and answered. Nothing in it depends on when it ran. */
export interface Cassette {
  /** The form of the file. */
  readonly cassette: 1
  /** The id of the root, from which those of all runs below it follow. */
  readonly runId: string
  readonly sessionId?: string
  readonly agent: string
  readonly input: string
  /** What its conversation was before it. */
  readonly history?: readonly Message[]
  readonly attachments?: readonly Attachment[]
  readonly output?: OutputContract
  /** Nobody could be asked: tools that ask were not offered. */
  readonly headless?: true
  /** By name; of a run that was taken out of a store: nothing. */
  readonly agents: Readonly<Record<string, TapedAgent>>
  /** In the order in which they were told. */
  readonly entries: readonly CassetteEntry[]
}

/** What an agent was given for its session. */
export interface TapedAgent {
  readonly models: readonly TapedModel[]
  /** Summarises what its conversations leave out; none: the first of `models`. */
  readonly contextModel?: TapedModel
  readonly tools: readonly TapedTool[]
}

/** A model as far as a run depends on it. */
export interface TapedModel {
  readonly id: string
  readonly provider: string
  readonly price?: ModelPrice
  readonly contextWindow?: number
}

/** A tool as its model saw it. */
export interface TapedTool {
  readonly name: string
  readonly wireName: string
  readonly source: 'mcp' | 'function' | 'agent' | 'runtime'
  readonly server?: string
  readonly description: string
  readonly instructions?: string
  readonly effect: 'read' | 'idempotent' | 'once'
  readonly inputSchema: JsonObject
}

/**
 * One event without its times and ids. `run` is the place of the run in the tree: `/` is the root, `/1.2` what its call 1.2 opened. A `usage`
 * entry holds `asked` and `answer` of its model call, a `tool-result` what else the caller got.
 */
export type CassetteEntry = {
  readonly run: string
  readonly event: string
  readonly call?: string
} & { readonly [key: string]: Json }

/** The answer of a model: its parts, why it ended, and the text of calls that was no JSON object, by id. */
export interface TapedAnswer {
  readonly content: readonly JsonObject[]
  readonly finishReason: string
  readonly provider: string
  readonly inputs?: Readonly<Record<string, string>>
}
