import type { Message, Usage } from '@troupe/schema'
import type { ModelHandle, PreparedAgent } from '@troupe/schema/ports'
import { byteLength } from '../run/json.ts'
import type { Run } from '../run/run.ts'
import type { ModelConversation, ConversationRun } from './conversation.ts'
import { systemPrompt } from './system-prompt.ts'

/** Allowance for text that providers add before the tools, some hundred tokens that no prompt contains. */
const TOOLS_MARGIN = 512

/**
 * Returns the maximum input tokens of the next call: the last reported count plus one token per UTF-8 byte
 * since then. For the first call of a model, one token per byte of the whole prompt with its tools. Files
 * given as a URL count as their URL.
 */
export function inputBound(
  run: ConversationRun,
  prepared: PreparedAgent,
  call: { readonly handle: ModelHandle; readonly messages: readonly Message[] },
): number {
  const { reportedTokens, view } = run.conversation
  if (reportedTokens !== undefined && reportedTokens.handle === call.handle && call.messages === view) {
    const system = systemPrompt(run, prepared)
    return (
      reportedTokens.tokens +
      bytesOf(view.slice(reportedTokens.length)) +
      (system === reportedTokens.system ? 0 : byteLength(system))
    )
  }
  return promptBytes(run, prepared, call.messages)
}

/** Bytes per token of an input that the provider did not count. */
const UNCOUNTED_BYTES_PER_TOKEN = 4

/**
 * Estimates the input tokens of a call whose provider did not report them. The estimate is not more than the
 * bound that the budget reserved.
 */
export function estimateInput(
  run: ConversationRun,
  prepared: PreparedAgent,
  call: { readonly handle: ModelHandle; readonly messages: readonly Message[] },
): number {
  const bytes = promptBytes(run, prepared, call.messages)
  return Math.min(Math.ceil(bytes / UNCOUNTED_BYTES_PER_TOKEN), inputBound(run, prepared, call))
}

/** Returns the UTF-8 bytes of a whole prompt: system message, tools, output schema and messages. */
export function promptBytes(run: Run, prepared: PreparedAgent, messages: readonly Message[]): number {
  return byteLength(systemPrompt(run, prepared)) + toolBytes(prepared) + schemaBytes(run) + bytesOf(messages)
}

/** Stores the token count that a provider reported, unless a hook sent other messages than the view. */
export function storeReportedTokens(
  conversation: ModelConversation,
  call: { readonly handle: ModelHandle; readonly messages: readonly Message[]; readonly system: string },
  usage: Usage,
): void {
  if (call.messages !== conversation.view || usage.estimated > 0) return
  conversation.reportedTokens = {
    handle: call.handle,
    tokens: usage.input + usage.output,
    length: conversation.view.length + 1,
    system: call.system,
  }
}

function bytesOf(messages: readonly Message[]): number {
  let bytes = 0
  for (const message of messages) bytes += messageBytes(message)
  return bytes
}

const messageSizes = new WeakMap<Message, number>()

function messageBytes(message: Message): number {
  const known = messageSizes.get(message)
  if (known !== undefined) return known
  const bytes = isText(message) ? byteLength(JSON.stringify(message)) : jsonBytes(message)
  messageSizes.set(message, bytes)
  return bytes
}

/** Returns true if no part can contain bytes. A replacer makes the JSON several times slower. */
function isText({ content }: Message): boolean {
  if (typeof content === 'string') return true
  return content.every(
    (part) =>
      part.type === 'text' ||
      part.type === 'tool-call' ||
      (part.type === 'tool-result' && part.output.type !== 'content'),
  )
}

const toolSizes = new WeakMap<PreparedAgent['tools'], number>()

/** Returns the bytes of the tool declarations in a request. */
function toolBytes({ tools }: PreparedAgent): number {
  if (tools.size === 0) return 0
  let bytes = toolSizes.get(tools)
  if (bytes === undefined) {
    bytes = TOOLS_MARGIN
    for (const { wireName, description, inputSchema } of tools.values())
      bytes += jsonBytes({ wireName, description, inputSchema })
    toolSizes.set(tools, bytes)
  }
  return bytes
}

function schemaBytes({ output }: Run): number {
  return output.schema === undefined ? 0 : jsonBytes(output.schema)
}

/** Returns the bytes of the JSON form. Binary data counts with its own length. */
function jsonBytes(value: unknown): number {
  let binary = 0
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (!(part instanceof Uint8Array)) return part
    binary += part.length
    return null
  })
  return binary + byteLength(text)
}

/** Estimated tokens of an image or file, about what providers charge for an image. */
const FILE_TOKENS = 1500
/** Bytes of JSON per token until a provider reports usage. A low guess, as English has more. */
const BYTES_PER_TOKEN = 3
/** Plausible range of the measured bytes per token. Outside of it, the provider counts something else. */
const MIN_BYTES_PER_TOKEN = 1
const MAX_BYTES_PER_TOKEN = 8

/** Estimates the tokens of the next request: the last reported count plus an estimate for newer messages. */
export function estimateContext(run: ConversationRun, prepared: PreparedAgent): number {
  const { reportedTokens, view } = run.conversation
  if (reportedTokens === undefined)
    return fixedBytes(run, prepared) / BYTES_PER_TOKEN + tokensOf(view, BYTES_PER_TOKEN)
  return reportedTokens.tokens + tokensOf(view.slice(reportedTokens.length), BYTES_PER_TOKEN)
}

/** Token counts of the parts of a conversation. */
export interface ContextMeter {
  /** Tokens of the whole request. */
  readonly total: number
  /** Tokens of the parts that cannot be shortened: the system message and the tools. */
  readonly fixed: number
  tokensOf(messages: readonly Message[]): number
}

/** Measures the parts of a conversation, calibrated with the last reported token count if there is one. */
export function measureContext(run: ConversationRun, prepared: PreparedAgent): ContextMeter {
  const bytesPerToken = bytesPerTokenOf(run, prepared)
  return {
    total: Math.ceil(estimateContext(run, prepared)),
    fixed: Math.ceil(fixedBytes(run, prepared) / bytesPerToken),
    tokensOf: (messages) => Math.ceil(tokensOf(messages, bytesPerToken)),
  }
}

function bytesPerTokenOf(run: ConversationRun, prepared: PreparedAgent): number {
  const { reportedTokens, view } = run.conversation
  if (reportedTokens === undefined) return BYTES_PER_TOKEN
  const { bytes, files } = sizeOfAll(view.slice(0, reportedTokens.length))
  const tokens = Math.max(1, reportedTokens.tokens - files * FILE_TOKENS)
  const bytesPerToken = (fixedBytes(run, prepared) + bytes) / tokens
  return Math.min(MAX_BYTES_PER_TOKEN, Math.max(MIN_BYTES_PER_TOKEN, bytesPerToken))
}

function fixedBytes(run: Run, prepared: PreparedAgent): number {
  return byteLength(systemPrompt(run, prepared)) + toolBytes(prepared)
}

function tokensOf(messages: readonly Message[], bytesPerToken: number): number {
  const { bytes, files } = sizeOfAll(messages)
  return bytes / bytesPerToken + files * FILE_TOKENS
}

function sizeOfAll(messages: readonly Message[]): MessageMeasure {
  let bytes = 0
  let files = 0
  for (const message of messages) {
    const size = sizeOf(message)
    bytes += size.bytes
    files += size.files
  }
  return { bytes, files }
}

interface MessageMeasure {
  /** Bytes of JSON, without files. */
  readonly bytes: number
  readonly files: number
}

const sizes = new WeakMap<Message, MessageMeasure>()

function sizeOf(message: Message): MessageMeasure {
  const known = sizes.get(message)
  if (known !== undefined) return known
  let files = 0
  const text = JSON.stringify(message.content, (_key, part: unknown) => {
    if (!isFile(part)) return part
    files += 1
    return null
  })
  const size = { bytes: byteLength(text), files }
  sizes.set(message, size)
  return size
}

function isFile(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'mediaType' in part && 'data' in part
}
