import { setImmediate } from 'node:timers/promises'
import {
  toolResult,
  troupeError,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@troupe/schema'
import { runtimeTool } from '../tools/runtime-tool.ts'
import { treeArgument } from './reached-paths.ts'
import { decodeText, readBytes } from './read-bytes.ts'
import type { Filesystem } from './filesystem.ts'
import { globPattern } from './glob-pattern.ts'
import { splitLines } from './line-page.ts'
import type { FileLocation } from './root-folder.ts'
import { walk } from './walk.ts'
import { createLinearPatterns } from '@troupe/tools'

const MAX_DEPTH = 64
const MAX_FILES = 20_000
const SHOWN = 300
/** Characters to search before yielding to the event loop. */
const YIELD_AFTER_CHARACTERS = 200_000

interface SearchArguments extends LineQuery {
  readonly path: string
  readonly glob?: string
  readonly limit: number
}

/** Creates `filesystem.search`, which finds lines in the files below a folder. */
export function searchTool(files: Filesystem): ToolDefinition {
  return runtimeTool({
    name: 'filesystem.search',
    description:
      'Finds lines that contain a text or match a regular expression in the files below a folder. Returns `path:line: text`.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 500 },
        regex: { type: 'boolean', default: false, description: 'The query is a regular expression (RE2)' },
        ignoreCase: { type: 'boolean', default: false },
        path: { type: 'string', minLength: 1, default: '.', description: 'A folder or a single file' },
        glob: {
          type: 'string',
          minLength: 1,
          maxLength: 200,
          description: 'Files to search, such as "*.ts" or "src/**/*.{ts,md}"',
        },
        limit: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
      },
      required: ['query'],
      additionalProperties: false,
    },
    effect: 'read',
    capabilities: ['reads_private'],
    ruleArguments: { path: treeArgument(files) },
    execute: (args, context) => search(files, args as unknown as SearchArguments, context),
  })
}

/** Mutable state of a search. */
interface FileSearchState {
  readonly lines: string[]
  files: number
  unread: number
}

async function search(
  files: Filesystem,
  wanted: SearchArguments,
  { signal }: ToolContext,
): Promise<ToolResult> {
  const matches = lineMatcher(wanted)
  const state: FileSearchState = { lines: [], files: 0, unread: 0 }
  for await (const location of filesBelow(files, wanted, signal)) {
    if (state.lines.length > wanted.limit || state.files === MAX_FILES) break
    state.files += 1
    await searchFile(files, location, { matches, state, signal, limit: wanted.limit })
  }
  return toResult(state, wanted)
}

async function* filesBelow(
  { root }: Filesystem,
  { path, glob }: SearchArguments,
  signal: AbortSignal,
): AsyncGenerator<FileLocation> {
  const start = await root.locate(path)
  const isWanted = glob === undefined ? undefined : globPattern(glob)
  if (glob !== undefined && isWanted === undefined)
    throw troupeError('tool_bad_arguments', `glob: ${JSON.stringify(glob)} is not a valid glob.`)
  const handle = await root.openFile(start)
  const isFile = await handle.stat().then((stats) => stats.isFile())
  await handle.close()
  if (isFile) {
    yield start
    return
  }
  for await (const { location, kind } of walk(root, start, { maxDepth: MAX_DEPTH, signal })) {
    if (kind === 'file' && (isWanted === undefined || isWanted.test(location.shown))) yield location
  }
}

async function searchFile(
  files: Filesystem,
  location: FileLocation,
  search: {
    matches(line: string): boolean
    readonly state: FileSearchState
    readonly signal: AbortSignal
    readonly limit: number
  },
): Promise<void> {
  const { state, signal, limit } = search
  const text = await textOf(files, location)
  if (text === undefined) {
    state.unread += 1
    return
  }
  let stretch = 0
  for (const [index, line] of splitLines(text).entries()) {
    stretch += line.length
    if (stretch > YIELD_AFTER_CHARACTERS) {
      stretch = 0
      await setImmediate()
      signal.throwIfAborted()
    }
    if (search.matches(line)) state.lines.push(`${location.shown}:${index + 1}: ${shorten(line)}`)
    if (state.lines.length > limit) return
  }
}

/** Returns `undefined` if the file is not text or cannot be read. */
async function textOf(files: Filesystem, location: FileLocation): Promise<string | undefined> {
  try {
    const { bytes } = await readBytes(files, location.real)
    return decodeText(bytes)
  } catch {
    // The search continues without files it cannot read and reports their number.
    return undefined
  }
}

function toResult({ lines, files, unread }: FileSearchState, { limit }: SearchArguments): ToolResult {
  const isWhole = lines.length <= limit && files < MAX_FILES
  const text = [
    ...(lines.length === 0 ? ['[No matches found.]'] : lines.slice(0, limit)),
    ...(isWhole ? [] : ['[More matches exist. Narrow the query, the path or the glob.]']),
    ...(unread === 0 ? [] : [`[${unread} files were not searched: not text, too large, or not readable.]`]),
  ].join('\n')
  const structured = { matches: Math.min(lines.length, limit), files, unread, isWhole }
  return { ...toolResult.text(text), structured }
}

function shorten(line: string): string {
  const text = line.trim()
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}

/** The query of a text search. */
interface LineQuery {
  readonly query: string
  readonly regex: boolean
  readonly ignoreCase: boolean
}

/**
 * Returns a predicate for matching lines. Regular expressions run in linear time; throws `tool_bad_arguments`
 * for one that cannot.
 */
function lineMatcher({ query, regex, ignoreCase }: LineQuery): (line: string) => boolean {
  if (regex) {
    const pattern = createLinearPatterns().get(ignoreCase ? `(?i)${query}` : query)
    if (pattern !== undefined) return (line) => pattern.test(line)
    throw troupeError(
      'tool_bad_arguments',
      'The expression is invalid, too large, or has lookarounds or backreferences.',
      { fix: 'Simplify it, or search for plain text without `regex`.' },
    )
  }
  if (!ignoreCase) return (line) => line.includes(query)
  const low = query.toLowerCase()
  return (line) => line.toLowerCase().includes(low)
}
