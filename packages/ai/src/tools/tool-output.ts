import { toolResult, troupeError, type ContentPart, type Json, type ToolResult } from '@troupe/schema'
import type { Tool } from 'ai'

/** The output of a tool in the form that the AI SDK sends to models. */
type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>

/** Converts the result of `toModelOutput`. Throws `tool_failed` for content that a tool result cannot have. */
export function toToolResult(tool: string, output: ModelOutput): ToolResult {
  switch (output.type) {
    case 'text':
      return toolResult.text(output.value)
    case 'json':
      return toolResult.json(output.value as Json)
    case 'error-text':
      return toolResult.error('tool_failed', output.value)
    case 'error-json':
      return toolResult.error('tool_failed', JSON.stringify(output.value))
    case 'execution-denied':
      return toolResult.error('approval_denied', output.reason ?? `${tool} was not approved.`)
    default:
      return { outcome: 'completed', content: output.value.map((part) => toContentPart(tool, part)) }
  }
}

type OutputPart = Extract<ModelOutput, { readonly type: 'content' }>['value'][number]

function toContentPart(tool: string, part: OutputPart): ContentPart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'file-data':
    case 'image-data':
      return { type: 'data', mediaType: part.mediaType, base64: part.data }
    case 'file-url':
    case 'image-url':
      return { type: 'text', text: part.url }
    case 'file':
      return toFilePart(tool, part)
    default:
      throw unsupported(tool, part.type)
  }
}

function toFilePart(tool: string, { data, mediaType }: Extract<OutputPart, { type: 'file' }>): ContentPart {
  switch (data.type) {
    case 'data':
      return { type: 'data', mediaType, base64: toBase64(data.data) }
    case 'url':
      return { type: 'text', text: String(data.url) }
    case 'text':
      return { type: 'text', text: data.text }
    default:
      throw unsupported(tool, `file of type ${data.type}`)
  }
}

function toBase64(data: string | Uint8Array | ArrayBuffer): string {
  return typeof data === 'string' ? data : Buffer.from(new Uint8Array(data)).toString('base64')
}

function unsupported(tool: string, kind: string): Error {
  return troupeError(
    'tool_failed',
    `\`toModelOutput\` of ${tool} returned the content "${kind}", which is not supported.`,
    { fix: 'Return text, or files with their data or URL.' },
  )
}
