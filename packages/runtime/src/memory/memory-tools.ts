import { toolResult, type ToolDefinition, type ToolResult } from '@troupe/schema'
import type { RuleArgument } from '@troupe/schema/ports'
import type { Filesystem } from '../filesystem/filesystem.ts'
import { linePage, pageNote } from '../filesystem/line-page.ts'
import { createSerialQueue } from '../filesystem/serial-queue.ts'
import { runtimeTool } from '../tools/runtime-tool.ts'
import { createMemoryFolder, noteName, type MemoryFolder } from './memory-folder.ts'

/** Folder of the notes if the card names none, relative to the root folder. */
const DEFAULT_FOLDER = 'memory'
const DEFAULT_LINES = 2000

const NAME = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  description: 'Such as "preferences.md"',
} as const
const NAME_RULE: RuleArgument = { kind: 'text', read: ({ name }) => noteName(name as string) }

const INSTRUCTIONS =
  'You have notes that stay between runs. List them with memory_list before you start, and read those that may help. Save what is worth knowing next time with memory_write: facts and decisions, one topic per note.'

/**
 * Creates `memory.list`, `read`, `write` and `delete` for the Markdown files of a folder. Writing and deleting
 * need approval unless the card allows them.
 */
export function memoryTools(files: Filesystem, folder: string = DEFAULT_FOLDER): readonly ToolDefinition[] {
  const memory = createMemoryFolder(files, folder)
  return [listNotes(memory), readNote(memory), writeNote(memory), deleteNote(memory)]
}

function listNotes(memory: MemoryFolder): ToolDefinition {
  return runtimeTool({
    name: 'memory.list',
    description: 'Lists your notes from earlier runs.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    instructions: INSTRUCTIONS,
    effect: 'read',
    execute: async () => {
      const notes = await memory.list()
      const lines = notes.map(({ name, bytes }) => `${name} (${bytes} bytes)`)
      return { ...toolResult.text(lines.join('\n') || 'There are no notes.'), structured: { notes } }
    },
  })
}

function readNote(memory: MemoryFolder): ToolDefinition {
  return runtimeTool({
    name: 'memory.read',
    description: 'Reads one of your notes.',
    inputSchema: {
      type: 'object',
      properties: {
        name: NAME,
        offset: { type: 'integer', minimum: 1, default: 1, description: 'First line, counted from 1' },
        limit: { type: 'integer', minimum: 1, maximum: 20_000, default: DEFAULT_LINES },
      },
      required: ['name'],
      additionalProperties: false,
    },
    effect: 'read',
    capabilities: ['reads_private'],
    ruleArguments: { name: NAME_RULE },
    execute: async ({ name, offset, limit }) => {
      const text = await memory.read(name as string)
      const page = linePage(text, { offset: offset as number, limit: limit as number, lineNumbers: false })
      return page.text + pageNote(page, 'note')
    },
  })
}

function writeNote(memory: MemoryFolder): ToolDefinition {
  const runSerially = createSerialQueue()
  return runtimeTool({
    name: 'memory.write',
    description: 'Creates or replaces a note for later runs, or appends to it.',
    inputSchema: {
      type: 'object',
      properties: {
        name: NAME,
        content: { type: 'string', description: 'Markdown' },
        mode: { type: 'string', enum: ['replace', 'append'], default: 'replace' },
      },
      required: ['name', 'content'],
      additionalProperties: false,
    },
    effect: 'once',
    capabilities: ['destructive'],
    requiresApproval: true,
    ruleArguments: { name: NAME_RULE },
    execute: (args, { idempotencyKey }) =>
      runSerially(() => write(memory, args as unknown as NoteArguments, idempotencyKey)),
  })
}

interface NoteArguments {
  readonly name: string
  readonly content: string
  readonly mode: 'replace' | 'append'
}

async function write(
  memory: MemoryFolder,
  { name, content, mode }: NoteArguments,
  key: string,
): Promise<ToolResult> {
  const text = (mode === 'append' ? await textBefore(memory, noteName(name)) : '') + content
  const path = await memory.write(name, text, key)
  return { ...toolResult.text(`Wrote ${path}.`), structured: { path, bytes: Buffer.byteLength(text) } }
}

/** Returns the text to append to, with a line break at its end; empty if there is no such note. */
async function textBefore(memory: MemoryFolder, file: string): Promise<string> {
  const isKnown = (await memory.list()).some(({ name }) => name === file)
  const text = isKnown ? await memory.read(file) : ''
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

function deleteNote(memory: MemoryFolder): ToolDefinition {
  return runtimeTool({
    name: 'memory.delete',
    description: 'Deletes one of your notes.',
    inputSchema: {
      type: 'object',
      properties: { name: NAME },
      required: ['name'],
      additionalProperties: false,
    },
    effect: 'once',
    capabilities: ['destructive'],
    requiresApproval: true,
    ruleArguments: { name: NAME_RULE },
    execute: async ({ name }) => {
      await memory.remove(name as string)
      return `Deleted ${noteName(name as string)}.`
    },
  })
}
