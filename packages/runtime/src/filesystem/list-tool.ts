import { toolResult, type ToolContext, type ToolDefinition, type ToolResult } from '@troupe/schema'
import { runtimeTool } from '../tools/runtime-tool.ts'
import { pathArgument } from './reached-paths.ts'
import type { Filesystem } from './filesystem.ts'
import { walk, type WalkEntry } from './walk.ts'

const MARKS = { file: '', folder: '/', link: ' (link)', other: ' (not a regular file)' } as const

interface ListArguments {
  readonly path: string
  readonly depth: number
  readonly limit: number
}

/** Creates `filesystem.list`, which lists a folder. */
export function listTool(files: Filesystem): ToolDefinition {
  return runtimeTool({
    name: 'filesystem.list',
    description: 'Lists a folder, including its subfolders down to `depth`. Folder names end with "/".',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, default: '.', description: 'Relative to the root folder' },
        depth: { type: 'integer', minimum: 1, maximum: 16, default: 1 },
        limit: { type: 'integer', minimum: 1, maximum: 5000, default: 500 },
      },
      additionalProperties: false,
    },
    effect: 'read',
    ruleArguments: { path: pathArgument(files) },
    execute: (args, context) => list(files, args as unknown as ListArguments, context),
  })
}

async function list(
  { root }: Filesystem,
  { path, depth, limit }: ListArguments,
  { signal }: ToolContext,
): Promise<ToolResult> {
  const start = await root.locate(path)
  const lines: string[] = []
  let isWhole = true
  for await (const entry of walk(root, start, { maxDepth: depth, signal })) {
    isWhole = lines.length < limit
    if (!isWhole) break
    lines.push(lineOf(entry))
  }
  if (lines.length === 0) lines.push('[The folder is empty.]')
  if (!isWhole) lines.push(`[Only the first ${limit} entries are shown. List a subfolder to see more.]`)
  return { ...toolResult.text(lines.join('\n')), structured: { path: start.shown, isWhole } }
}

function lineOf({ location, kind }: WalkEntry): string {
  return `${location.shown}${MARKS[kind]}`
}
