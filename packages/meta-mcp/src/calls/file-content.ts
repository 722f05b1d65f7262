import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/server'
import type { OutputFile } from '@troupe/schema'

/** A file of the answer of a run. */
interface RunFileRef {
  readonly runId: string
  /** Index of the file in the answer, from 0. */
  readonly index: number
}

/** Returns the resource URI of a file of an answer. */
export function runFileUri({ runId, index }: RunFileRef): string {
  return `troupe://runs/${runId}/files/${index}`
}

/**
 * Converts a file of an answer to MCP content: an image, audio, an embedded resource, or a link if only its
 * address is known.
 */
export function fileContent(file: OutputFile, ref: RunFileRef): CallToolResult['content'][number] {
  const { mediaType: mimeType, data, filename, uri = runFileUri(ref) } = file
  if (data === undefined)
    return { type: 'resource_link', uri, name: filename ?? `file ${ref.index}`, mimeType }
  if (file.uri === undefined && mimeType.startsWith('image/')) return { type: 'image', data, mimeType }
  if (file.uri === undefined && mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType }
  return { type: 'resource', resource: resourceContent(file, uri) }
}

/** Converts a file with content to the content of a resource: text if its media type is text, otherwise a blob. */
export function resourceContent(
  { mediaType: mimeType, data = '' }: OutputFile,
  uri: string,
): ReadResourceResult['contents'][number] {
  const isText = mimeType.startsWith('text/') || mimeType === 'application/json'
  return isText ? { uri, mimeType, text: decodeText(data) } : { uri, mimeType, blob: data }
}

function decodeText(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)))
}
