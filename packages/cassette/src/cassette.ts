import {
  troupeError,
  errorMessage,
  isJsonObject,
  type Attachment,
  type Json,
  type JsonObject,
  type Message,
  type OutputContract,
  type ToolSource,
} from '@troupe/schema'
import type { ModelPrice } from '@troupe/schema/ports'
import { parse, stringify } from 'yaml'

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
  /** The values that fill in the prompt, if it is a template. */
  readonly values?: JsonObject
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
  readonly source: ToolSource
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
  /** Web pages that support the text. */
  readonly citations?: readonly JsonObject[]
}

const HEAD = '# A recorded run. The page "Record, replay and fork runs" of the documentation describes it.\n'

/** Formats a cassette as YAML: one item per entry, long lines unfolded. Equal cassettes give equal text. */
export function writeCassette(cassette: Cassette): string {
  // The round trip removes members that JSON leaves out. Shared values must not become YAML anchors.
  const plain = JSON.parse(JSON.stringify(cassette)) as unknown
  return HEAD + stringify(plain, { lineWidth: 0, aliasDuplicateObjects: false, version: '1.2' })
}

/** Parses a cassette. Throws `cassette_invalid` with the file name. */
export function readCassette(text: string, file: string): Cassette {
  let value: unknown
  try {
    value = parse(text.replaceAll(LITERAL, OPENING), { version: '1.2', maxAliasCount: 0 })
  } catch (cause) {
    throw invalid(file, errorMessage(cause).split('\n')[0] ?? '', cause)
  }
  if (!isJsonObject(value)) throw invalid(file, 'it is not a recording')
  const { cassette, runId, agent, input, agents, entries } = value as Record<string, unknown>
  if (cassette !== 1)
    throw invalid(
      file,
      `its format version is ${JSON.stringify(cassette) ?? 'missing'}, and this release reads version 1`,
    )
  for (const [key, text] of Object.entries({ runId, agent, input }))
    if (typeof text !== 'string') throw invalid(file, `${key} is not a string`)
  if (!isJsonObject(agents)) throw invalid(file, 'agents is not a mapping')
  if (!Array.isArray(entries) || !entries.every(isEntry))
    throw invalid(file, 'entries is not a list of entries with `run` and `event`')
  return value as unknown as Cassette
}

/**
 * The start of a secret placeholder. Text that contains it is stored as `LITERAL`. No secrets are filled in
 * here, so reading only undoes the escape.
 */
const OPENING = '{{secret:'
const LITERAL = `${OPENING}}}`

function isEntry(entry: Json): boolean {
  return isJsonObject(entry) && typeof entry['run'] === 'string' && typeof entry['event'] === 'string'
}

function invalid(file: string, why: string, cause?: unknown): Error {
  return troupeError('cassette_invalid', `${file} cannot be replayed: ${why}.`, { cause })
}
