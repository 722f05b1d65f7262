import type { Attachment, Json, JsonObject, Message, ModelPrice, OutputContract } from '@troupe/schema'

/**
 * A recorded run: its events in order, with the request and answer of each model call. Nothing in it depends
 * on when it ran.
 */
export interface Cassette {
  /** Version of the file format. */
  readonly cassette: 1
  /** Run id of the root run. The ids of all other runs are derived from it. */
  readonly runId: string
  readonly sessionId?: string
  readonly agent: string
  readonly input: string
  /** Messages of the conversation before this run. */
  readonly history?: readonly Message[]
  readonly attachments?: readonly Attachment[]
  readonly output?: OutputContract
  /** Set if no person could approve calls, so tools that need an approval were not offered. */
  readonly headless?: true
  /** Agents by name. Empty for a run exported from a store. */
  readonly agents: Readonly<Record<string, RecordedAgent>>
  /** Entries in the order in which the events were emitted. */
  readonly entries: readonly CassetteEntry[]
}

/** The models and tools that an agent had in its session. */
export interface RecordedAgent {
  readonly models: readonly RecordedModel[]
  /** The model that summarises dropped messages. Default: the first of `models`. */
  readonly contextModel?: RecordedModel
  readonly tools: readonly RecordedTool[]
}

/** The properties of a model that affect a run. */
export interface RecordedModel {
  readonly id: string
  readonly provider: string
  readonly price?: ModelPrice
  readonly contextWindow?: number
}

/** A tool as the model saw it. */
export interface RecordedTool {
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
 * One event without its times and ids. `run` is the path of the run in the tree: `/` is the root run, `/1.2`
 * the run that its call 1.2 opened. A `usage` entry also has `asked` and `answer`, the request and answer of
 * the model call. A `tool-result` entry also has the parts of the result that the event omits.
 */
export type CassetteEntry = {
  readonly run: string
  readonly event: string
  readonly call?: string
} & { readonly [key: string]: Json }

/**
 * The answer of a model: its parts, its finish reason and, by call id, arguments that were not a JSON object.
 */
export interface RecordedModelAnswer {
  readonly content: readonly JsonObject[]
  readonly finishReason: string
  readonly provider: string
  readonly inputs?: Readonly<Record<string, string>>
}
