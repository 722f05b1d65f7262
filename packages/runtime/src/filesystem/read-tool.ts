import { toolResult, type ToolDefinition, type ToolResult } from '@troupe/schema'
import { runtimeTool } from '../tools/runtime-tool.ts'
import { pathArgument } from './reached-paths.ts'
import { decodeText, readBytes, type FileBytes } from './read-bytes.ts'
import type { Filesystem } from './filesystem.ts'
import { unusableError } from './fs-errors.ts'
import { linePage, pageNote } from './line-page.ts'

const DEFAULT_LINES = 2000
/** A result has at most 256 KiB by default, and base64 adds a third. */
const MAX_DATA_BYTES = 190_000

interface ReadArguments {
  readonly path: string
  readonly offset: number
  readonly limit: number
  readonly lineNumbers: boolean
}

/** Creates `filesystem.read`, which returns lines of text, or an image or PDF as data. */
export function readTool(files: Filesystem): ToolDefinition {
  return runtimeTool({
    name: 'filesystem.read',
    description: 'Reads a file: text in pages of lines, or an image or PDF.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'Relative to the root folder' },
        offset: {
          type: 'integer',
          minimum: 1,
          default: 1,
          description: 'First line to read, counted from 1',
        },
        limit: { type: 'integer', minimum: 1, maximum: 20_000, default: DEFAULT_LINES },
        lineNumbers: {
          type: 'boolean',
          default: false,
          description: 'Prefix each line with its number and a tab',
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
    effect: 'read',
    capabilities: ['reads_private'],
    ruleArguments: { path: pathArgument(files) },
    execute: async (args) => {
      const wanted = args as unknown as ReadArguments
      return toResult(await readBytes(files, wanted.path), wanted)
    },
  })
}

function toResult(file: FileBytes, wanted: ReadArguments): ToolResult {
  const text = decodeText(file.bytes)
  return text === undefined ? dataResult(file) : textResult(text, file, wanted)
}

function textResult(text: string, { location, bytes }: FileBytes, wanted: ReadArguments): ToolResult {
  const page = linePage(text, wanted)
  const { from, to, lines } = page
  const structured = { path: location.shown, bytes: bytes.length, lines, from, to }
  return { ...toolResult.text(page.text + pageNote(page, 'file')), structured }
}

function dataResult({ location, bytes }: FileBytes): ToolResult {
  const mediaType = mediaTypeOf(bytes)
  const size = `${bytes.length} bytes`
  if (mediaType === undefined)
    throw unusableError(
      location.shown,
      `is neither UTF-8 text nor a supported image (${size})`,
      'Continue without its content.',
    )
  if (bytes.length > MAX_DATA_BYTES)
    throw unusableError(
      location.shown,
      `is ${mediaType} of ${size}; the limit is ${MAX_DATA_BYTES} bytes`,
      'Use a smaller file.',
    )
  return {
    outcome: 'completed',
    content: [
      { type: 'text', text: `${location.shown}: ${mediaType}, ${size}` },
      { type: 'data', mediaType, base64: bytes.toString('base64') },
    ],
    structured: { path: location.shown, bytes: bytes.length, mediaType },
  }
}

/** Magic bytes of the file types that models can view. */
const SIGNATURES: readonly (readonly [mediaType: string, at: number, bytes: string])[] = [
  ['image/png', 0, '\u0089PNG\r\n\u001A\n'],
  ['image/jpeg', 0, '\u00FF\u00D8\u00FF'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['application/pdf', 0, '%PDF-'],
]

/**
 * Returns the media type of an image or PDF, detected from its first bytes and never from its name. Returns
 * `undefined` for anything else.
 */
function mediaTypeOf(bytes: Buffer): string | undefined {
  const found = SIGNATURES.find(
    ([, at, signature]) => bytes.toString('latin1', at, at + signature.length) === signature,
  )
  return found?.[0]
}
