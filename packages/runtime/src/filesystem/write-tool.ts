import { toolResult, troupeError, type ToolDefinition, type ToolResult } from '@troupe/schema'
import { runtimeTool } from '../tools/runtime-tool.ts'
import { pathArgument } from './reached-paths.ts'
import { decodeText, MAX_FILE_BYTES, readBytes } from './read-bytes.ts'
import type { Filesystem } from './filesystem.ts'
import { deniedError, isMissing, unusableError } from './fs-errors.ts'
import { replaceFile } from './replace-file.ts'
import { createSerialQueue } from './serial-queue.ts'
import type { FileLocation } from './root-folder.ts'

interface WriteArguments {
  readonly path: string
  readonly content?: string
  readonly edits?: readonly TextEdit[]
  readonly mode: 'replace' | 'create' | 'append'
}

/**
 * Creates `filesystem.write`, which writes a whole file, appends to one, or applies exact replacements. Each
 * call is all or nothing.
 */
export function writeTool(files: Filesystem): ToolDefinition {
  const runSerially = createSerialQueue()
  return runtimeTool({
    name: 'filesystem.write',
    description:
      'Writes a text file and creates missing folders. Pass `content` for the whole file (with mode "append", for the text to append), or `edits` to replace exact pieces of an existing file.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'Relative to the root folder' },
        content: { type: 'string' },
        edits: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          items: {
            type: 'object',
            properties: {
              find: { type: 'string', minLength: 1, description: 'Must occur in the file exactly once' },
              replace: { type: 'string' },
            },
            required: ['find', 'replace'],
            additionalProperties: false,
          },
        },
        mode: {
          type: 'string',
          enum: ['replace', 'create', 'append'],
          default: 'replace',
          description: 'create: fails if the file exists',
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
    effect: 'once',
    capabilities: ['destructive'],
    requiresApproval: true,
    ruleArguments: { path: pathArgument(files) },
    execute: (args, { idempotencyKey }) =>
      runSerially(() => write(files, args as unknown as WriteArguments, idempotencyKey)),
  })
}

async function write(files: Filesystem, wanted: WriteArguments, key: string): Promise<ToolResult> {
  if ((wanted.content === undefined) === (wanted.edits === undefined))
    throw troupeError('tool_bad_arguments', 'Pass either `content` or `edits`.')
  const location = await files.root.locate(wanted.path)
  const why = (await files.guard()).whyNotWrite(location.real)
  if (why !== undefined)
    throw deniedError(location.shown, `${why}, where file tools never write`, 'Write to another folder.')
  const text = await newText(files, location, wanted)
  const bytes = Buffer.from(text)
  if (bytes.length > MAX_FILE_BYTES)
    throw unusableError(
      location.shown,
      `would have ${bytes.length} bytes; the limit is ${MAX_FILE_BYTES} bytes`,
    )
  const isNew = await replaceFile(files.root, location, { bytes, key, mustBeNew: wanted.mode === 'create' })
  const message = `${isNew ? 'Created' : 'Wrote'} ${location.shown}, ${bytes.length} bytes.`
  return {
    ...toolResult.text(message),
    structured: { path: location.shown, bytes: bytes.length, created: isNew },
  }
}

async function newText(files: Filesystem, location: FileLocation, wanted: WriteArguments): Promise<string> {
  const { content = '', edits, mode } = wanted
  if (edits !== undefined) return applyEdits(await textOf(files, location), edits)
  if (mode !== 'append') return content
  const before = await textOf(files, location).catch((thrown: unknown) => {
    if (isMissing(thrown)) return ''
    throw thrown
  })
  return before + content
}

async function textOf(files: Filesystem, location: FileLocation): Promise<string> {
  const { bytes } = await readBytes(files, location.real)
  const text = decodeText(bytes)
  if (text !== undefined) return text
  throw unusableError(location.shown, 'is not UTF-8 text', 'Do not change it with this tool.')
}

/** An exact text replacement. */
interface TextEdit {
  readonly find: string
  readonly replace: string
}

/** Applies all edits in order. Throws `tool_bad_arguments` if a text to find does not occur exactly once. */
function applyEdits(text: string, edits: readonly TextEdit[]): string {
  return edits.reduce((before, { find, replace }, index) => {
    const at = before.indexOf(find)
    const isTwice = at >= 0 && before.includes(find, at + 1)
    if (at < 0 || isTwice)
      throw troupeError(
        'tool_bad_arguments',
        `edits.${index}: the text to find occurs ${isTwice ? 'more than once' : 'nowhere'} in the file. Nothing was changed.`,
        {
          fix: isTwice ? 'Include more of the surrounding text.' : 'Read the file and copy the text exactly.',
        },
      )
    return before.slice(0, at) + replace + before.slice(at + find.length)
  }, text)
}
