import { failure } from './errors.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { hasAnswer } from './outcome.ts'
import { isToolResult, resultText, type ContentPart, type ToolResult } from './tool-result.ts'

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
  return (
    toTextPart(resource['text']) ??
    toDataPart(resource['blob'], resource['mimeType'] ?? 'application/octet-stream')
  )
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
