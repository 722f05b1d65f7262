import { resultText, toolResult, type ToolResult, type JsonObject, type ToolDefinition } from '@troupe/schema'
import type { PreparedAgent, RunTreeContext } from '@troupe/schema/ports'
import { mentionsHandle, wholeCharacters } from './normalise-result.ts'
import type { Run } from '../run/run.ts'
import type { PreparedRun } from '../model/ask-model.ts'

/** A run that can call its tools. */
export interface ToolRun extends PreparedRun {
  /** Hook state of scope `run`. */
  readonly hookState: Map<string, unknown>
  readonly truncated: TruncatedResults
}

/** Bytes reserved for the note after a piece. */
const NOTE_BYTES = 100

/** The truncated results of one run, and the agent with the tool that reads on in them. */
export class TruncatedResults {
  readonly #run: Run
  #agent: PreparedAgent
  /** Created with the first result that the agent may read on. */
  #texts: FullTextStore | undefined

  constructor(run: Run, agent: PreparedAgent) {
    this.#run = run
    this.#agent = agent
  }

  /** The agent as the next turn offers it to the model: with `read_result` if a result was truncated. */
  get agent(): PreparedAgent {
    return this.#agent
  }

  /**
   * Stores the full text of a truncated result and returns its handle. Returns `undefined` if the agent may not
   * use the `read_result` tool; the rest of the text is then lost.
   */
  store(text: string): string | undefined {
    this.#offer()
    return this.#texts?.add(text)
  }

  /**
   * Offers the `read_result` tool again for a result that was truncated before an interruption. Its full text
   * is lost, and the tool reports that to the model.
   */
  offerAgain(result: ToolResult): void {
    if (mentionsHandle(resultText(result))) this.#offer()
  }

  /** Removes the texts. Call it when the run ends. */
  release(): void {
    this.#texts?.release()
  }

  #offer(): void {
    if (this.#texts !== undefined) return
    const { root, definition } = this.#run
    const texts = createFullTextStore(root)
    const tool = readResultTool(texts, Math.max(1, definition.limits.maxToolResultBytes - NOTE_BYTES))
    const { tools, models, permission } = this.#agent
    if (tools.has(READ_RESULT) || permission.ofTool(tool) !== 'allow') return
    if (models.some(({ maxTools = Infinity }) => tools.size >= maxTools)) return
    this.#texts = texts
    this.#agent = { ...this.#agent, tools: new Map([...tools, [READ_RESULT, tool]]) }
  }
}

const DEFAULT_BYTES = 65_536

/** Name of the tool that reads on in a truncated result. */
export const READ_RESULT = 'read_result'

/** Creates the `read_result` tool of one run. It returns at most `maxBytes` per call. */
export function readResultTool(fullTexts: FullTextStore, maxBytes: number): ToolDefinition {
  return Object.freeze({
    name: READ_RESULT,
    wireName: READ_RESULT,
    source: 'runtime',
    server: 'runtime',
    description:
      'Reads more of a truncated tool result. The note at the end of the result gives the handle and the offset.',
    inputSchema: {
      type: 'object',
      properties: {
        handle: { type: 'string', description: 'From the note at the end of the truncated result' },
        offset: { type: 'integer', minimum: 0, description: 'In bytes; default 0' },
        length: { type: 'integer', minimum: 1, description: `In bytes; default ${DEFAULT_BYTES}` },
      },
      required: ['handle'],
      additionalProperties: false,
    },
    effect: 'read',
    execute: (args) => read(fullTexts, args, maxBytes),
  } satisfies ToolDefinition)
}

function read(
  fullTexts: FullTextStore,
  { handle, offset = 0, length = DEFAULT_BYTES }: JsonObject,
  maxBytes: number,
): ToolResult {
  const bytes = fullTexts.read(handle as string)
  if (bytes === undefined)
    return toolResult.error(
      'tool_bad_arguments',
      `The result ${JSON.stringify(handle)} does not exist, or is no longer stored. Call the original tool again.`,
    )
  const start = wholeCharacters(bytes, Math.min(Number(offset), bytes.length))
  const size = Math.min(Number(length), maxBytes)
  const end = wholeCharacters(bytes, Math.min(start + size, bytes.length))
  // a character that is longer than requested is returned whole, or reading would never advance
  const to = end > start ? end : nextCharacter(bytes, start)
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, to))
  return toolResult.text(`${text}\n[${describeRange({ start, to, of: bytes.length })}]`)
}

function describeRange({
  start,
  to,
  of,
}: {
  readonly start: number
  readonly to: number
  readonly of: number
}): string {
  const range = `bytes ${start} to ${to} of ${of}`
  return to < of ? `${range}; continue with offset ${to}` : `${range}; end of the result`
}

function nextCharacter(bytes: Uint8Array, at: number): number {
  let next = at + 1
  while (next < bytes.length && wholeCharacters(bytes, next) !== next) next += 1
  return Math.min(next, bytes.length)
}

const MEBIBYTE = 1024 * 1024
/** Maximum bytes of all stored texts of a run tree. Beyond it the oldest are evicted. */
const MAX_STORED_BYTES = 64 * MEBIBYTE

/** Full texts of truncated tool results, stored until their run ends. */
interface FullTextStore {
  /** Stores a text and returns its handle, or `undefined` if the text is too large. */
  add(text: string): string | undefined
  /** Returns the text in UTF-8, or `undefined` if the handle is unknown or the text was evicted. */
  read(handle: string): Uint8Array | undefined
  /** Removes all texts of this run. */
  release(): void
}

interface StoredText {
  readonly bytes: Uint8Array
  evict(): void
}

interface RootTexts {
  readonly texts: Set<StoredText>
  size: number
}

const textsByRoot = new WeakMap<RunTreeContext, RootTexts>()

/** Creates the store of one run. Runs cannot read each other's texts, but share the size limit. */
export function createFullTextStore(root: RunTreeContext): FullTextStore {
  const shared = rootTextsOf(root)
  const own = new Map<string, StoredText>()
  let count = 0

  return {
    add(text) {
      const bytes = new TextEncoder().encode(text)
      if (bytes.length > MAX_STORED_BYTES) return undefined
      count += 1
      const handle = `r${count}`
      const storedText: StoredText = { bytes, evict: () => void own.delete(handle) }
      own.set(handle, storedText)
      addShared(shared, storedText)
      return handle
    },
    read: (handle) => own.get(handle)?.bytes,
    release() {
      for (const storedText of own.values()) removeShared(shared, storedText)
    },
  }
}

function rootTextsOf(root: RunTreeContext): RootTexts {
  const known = textsByRoot.get(root)
  if (known !== undefined) return known
  const shared: RootTexts = { texts: new Set(), size: 0 }
  textsByRoot.set(root, shared)
  return shared
}

function addShared(shared: RootTexts, storedText: StoredText): void {
  shared.texts.add(storedText)
  shared.size += storedText.bytes.length
  for (const oldest of shared.texts) {
    if (shared.size <= MAX_STORED_BYTES) return
    removeShared(shared, oldest)
  }
}

function removeShared(shared: RootTexts, storedText: StoredText): void {
  if (!shared.texts.delete(storedText)) return
  shared.size -= storedText.bytes.length
  storedText.evict()
}
