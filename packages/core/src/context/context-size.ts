import type { Message, PreparedAgent } from '@troupe/schema'
import { byteLength } from '../calls/cap-result.ts'
import { toolBytes } from '../model/prompt-size.ts'
import type { Run } from '../session/run.ts'

/** Estimated tokens of an image or file, about what providers charge for an image. */
const FILE_TOKENS = 1500
/** Bytes of JSON per token until a provider reports usage. A low guess, as English has more. */
const BYTES_PER_TOKEN = 3
/** Plausible range of the measured bytes per token. Outside of it, the provider counts something else. */
const LEAST_BYTES = 1
const MOST_BYTES = 8

/** Estimates the tokens of the next request: the last reported count plus an estimate for newer messages. */
export function estimateContext(run: Run, prepared: PreparedAgent): number {
  const { reportedTokens, view } = run
  if (reportedTokens === undefined)
    return fixedBytes(prepared) / BYTES_PER_TOKEN + tokensOf(view, BYTES_PER_TOKEN)
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
export function measureContext(run: Run, prepared: PreparedAgent): ContextMeter {
  const bytesPerToken = bytesPerTokenOf(run, prepared)
  return {
    total: Math.ceil(estimateContext(run, prepared)),
    fixed: Math.ceil(fixedBytes(prepared) / bytesPerToken),
    tokensOf: (messages) => Math.ceil(tokensOf(messages, bytesPerToken)),
  }
}

function bytesPerTokenOf({ reportedTokens, view }: Run, prepared: PreparedAgent): number {
  if (reportedTokens === undefined) return BYTES_PER_TOKEN
  const { bytes, files } = sizeOfAll(view.slice(0, reportedTokens.length))
  const tokens = Math.max(1, reportedTokens.tokens - files * FILE_TOKENS)
  return Math.min(MOST_BYTES, Math.max(LEAST_BYTES, (fixedBytes(prepared) + bytes) / tokens))
}

function fixedBytes(prepared: PreparedAgent): number {
  return byteLength(prepared.system) + toolBytes(prepared)
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
