import type { ErrorCode } from '../errors/error-table.ts'
import { OUTCOMES, failure, hasAnswer, outcomeOf, type Failure, type Outcome } from '../errors/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../text/json.ts'
import type { Message } from './message.ts'

/** One part of a tool result. Binary data is in base64. A part with a `uri` is the content of a resource. */
export type ContentPart =
  | {
      /** Text. */
      readonly type: 'text'
      /** The text. */
      readonly text: string
      /** Address of the resource that the text comes from. */
      readonly uri?: string
      /** Media type of that resource. */
      readonly mediaType?: string
    }
  | {
      /** Binary data, such as an image. */
      readonly type: 'data'
      /** Media type, such as `image/png`. */
      readonly mediaType: string
      /** The data in base64. */
      readonly base64: string
      /** Address of the resource that the data comes from. */
      readonly uri?: string
    }

/** The result of a tool call of any kind. Failures are results, too. */
export interface ToolResult {
  /** How the call ended. */
  readonly outcome: Outcome
  /**
   * The error flag of MCP. Set on every result that a hook gets from `callNext`. A hook changes the outcome
   * by changing it.
   */
  readonly isError?: boolean
  /** Parts that the model reads. */
  readonly content: readonly ContentPart[]
  /** The result as JSON, if the tool returned any. */
  readonly structured?: Json
  /** The error of a call without a result. */
  readonly failure?: Failure
  /** Id of the child run that the call opened. */
  readonly childRunId?: string
  /**
   * Messages of a `fork_and_merge` child run after its fork point. They are appended after the tool message
   * of the turn, in call order.
   */
  readonly merge?: readonly Message[]
}

/** Factory functions for results of hooks and tools. */
export const toolResult: {
  /** Creates a completed result of plain text. */
  text(text: string): ToolResult
  /** Creates a completed result of a JSON value. The model sees it as JSON text. */
  json(value: Json): ToolResult
  /** Creates a failed result. The model reads `Error: <message>`. */
  error(code: ErrorCode, message: string, fix?: string): ToolResult
  /** Creates a failed result from a failure. `partial` is text that follows the error message. */
  failed(reason: Failure, partial?: string): ToolResult
} = {
  text: (text) => ({ outcome: 'completed', content: [{ type: 'text', text }] }),
  json: (value) => ({
    outcome: 'completed',
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structured: value,
  }),
  error: (code, message, fix) => toolResult.failed(failure(code, message, fix)),
  failed: (reason, partial) => ({
    outcome: outcomeOf(reason),
    content: [
      { type: 'text', text: `Error: ${reason.message}` },
      ...(partial === undefined || partial === '' ? [] : [{ type: 'text' as const, text: partial }]),
    ],
    failure: reason,
  }),
}

/** Returns true if a value has the form of a {@link ToolResult}. */
export function isToolResult(value: unknown): value is ToolResult {
  if (typeof value !== 'object' || value === null) return false
  const { outcome, content } = value as { readonly outcome?: unknown; readonly content?: unknown }
  return OUTCOMES.some((known) => known === outcome) && Array.isArray(content) && content.every(isContentPart)
}

/** Joins the text parts of a result with line breaks. */
export function resultText(result: ToolResult): string {
  const texts: string[] = []
  for (const part of result.content) if (part.type === 'text') texts.push(part.text)
  return texts.join('\n')
}

function isContentPart(value: unknown): value is ContentPart {
  if (!isJsonObject(value)) return false
  if (value['type'] === 'text') return typeof value['text'] === 'string'
  return (
    value['type'] === 'data' && typeof value['mediaType'] === 'string' && typeof value['base64'] === 'string'
  )
}

const MESSAGE_LIMIT = 2000

/**
 * Converts the return value of a tool or hook to a result. A {@link ToolResult} is kept, except that an
 * `isError` set by a hook changes its outcome. An MCP result (`{content: [{type: 'text' | 'image' | 'audio' |
 * 'resource' | 'resource_link', …}], isError?, structuredContent?}`) is translated. Returns `undefined` for
 * anything else, including unknown kinds of content.
 */
export function coerceToolResult(value: unknown): ToolResult | undefined {
  if (isToolResult(value)) return applyErrorFlag(value)
  if (!isJsonObject(value)) return undefined
  const content = toContent(value)
  if (content === undefined) return undefined
  const structured = value['structuredContent']
  const rest = structured === undefined ? {} : { structured }
  return value['isError'] === true
    ? { ...toFailedResult(content), ...rest }
    : { outcome: 'completed', content, ...rest }
}

/** Removes `isError`, and changes the outcome if a hook changed it. */
function applyErrorFlag(value: ToolResult): ToolResult {
  if (!('isError' in value)) return value
  const { isError, ...result } = value
  if (typeof isError !== 'boolean' || isError === !hasAnswer(result.outcome)) return result
  const { failure: _, ...rest } = result
  return isError ? { ...rest, ...toFailedResult(rest.content) } : { ...rest, outcome: 'completed' }
}

function toContent(result: JsonObject): readonly ContentPart[] | undefined {
  const { content: blocks, structuredContent: structured } = result
  if (!Array.isArray(blocks)) return undefined
  if (blocks.length === 0 && structured !== undefined) return toJsonPart(structured)
  const parts = blocks.map((block: unknown) => toPart(block)).filter((part) => part !== undefined)
  return parts.length === blocks.length ? parts : undefined
}

/**
 * Returns the JSON of a value as a text part; `undefined` if the value cannot be serialized (a cycle, a
 * bigint).
 */
function toJsonPart(value: Json): readonly ContentPart[] | undefined {
  try {
    return [{ type: 'text', text: JSON.stringify(value) }]
  } catch {
    // not JSON, so not an MCP result
    return undefined
  }
}

function toPart(block: unknown): ContentPart | undefined {
  if (!isJsonObject(block)) return undefined
  switch (block['type']) {
    case 'text':
      return toTextPart(block['text'])
    case 'image':
    case 'audio':
      return toDataPart(block['data'], block['mimeType'])
    case 'resource':
      return toResourcePart(block['resource'])
    case 'resource_link':
      return toTextPart(block['uri'])
    default:
      return undefined
  }
}

function toResourcePart(resource: Json | undefined): ContentPart | undefined {
  if (!isJsonObject(resource)) return undefined
  const { uri, mimeType, text, blob } = resource
  const address = typeof uri === 'string' ? { uri } : {}
  if (typeof text === 'string')
    return {
      type: 'text',
      text,
      ...address,
      ...(typeof mimeType === 'string' ? { mediaType: mimeType } : {}),
    }
  const part = toDataPart(blob, mimeType ?? 'application/octet-stream')
  return part === undefined ? undefined : { ...part, ...address }
}

function toTextPart(text: Json | undefined): ContentPart | undefined {
  return typeof text === 'string' ? { type: 'text', text } : undefined
}

function toDataPart(base64: Json | undefined, mediaType: Json | undefined): ContentPart | undefined {
  if (typeof base64 !== 'string' || typeof mediaType !== 'string') return undefined
  return { type: 'data', mediaType, base64 }
}

/**
 * Creates a failed result from the tool's content. Its text starts with `Error: `, like that of every
 * failure. The content is kept whole; only the message of the failure is cut.
 */
function toFailedResult(content: readonly ContentPart[]): ToolResult {
  const text = resultText({ outcome: 'failed', content }) || 'the tool reported an error without text'
  const message = text.startsWith('Error: ') ? text.slice('Error: '.length) : text
  return {
    outcome: 'failed',
    content: [{ type: 'text', text: `Error: ${message}` }, ...content.filter((part) => part.type !== 'text')],
    failure: failure(
      'tool_failed',
      message.length > MESSAGE_LIMIT ? `${message.slice(0, MESSAGE_LIMIT)}…` : message,
    ),
  }
}
