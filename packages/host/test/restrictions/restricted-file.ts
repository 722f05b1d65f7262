import { isJsonObject, type JsonObject } from '@troupe/schema'
import { stdioServer } from '../support/open-team.ts'

/** A call written as in the table, such as `shell: rm -rf x`, `read .env` or `mcp tracker close`. */
export type WrittenCall = string

/** A file with restrictions, and what its own product does with calls of its agent. */
export interface RestrictedFile {
  /** The restriction, as a heading of the table. */
  readonly title: string
  /** Files of the project by path, the one with the agent first. */
  readonly files: Readonly<Record<string, string>>
  /** Targets of symbolic links by path. */
  readonly links?: Readonly<Record<string, string>>
  /** The cards to load. Default: the first file. */
  readonly cards?: readonly string[]
  readonly agent: string
  /** The rule of the product's documentation that decides. */
  readonly rule: string
  /** Calls that the product makes without asking. */
  readonly allow?: readonly WrittenCall[]
  /** Calls that the product asks about. */
  readonly ask?: readonly WrittenCall[]
  /** Calls that the product denies, or has no tool for. */
  readonly deny?: readonly WrittenCall[]
}

/** The files of one card format. */
export interface RestrictedFormat {
  readonly format: string
  readonly files: readonly RestrictedFile[]
}

/** Files that every project has. */
export const COMMON_FILES: Readonly<Record<string, string>> = {
  'src/a.ts': 'a\n',
  '.env': 'KEY=1\n',
  '.env.example': 'KEY=\n',
  'secrets/key': 'k\n',
  'docs/guide.md': 'guide\n',
  'notes.ipynb': '{}\n',
}

/** Returns a Markdown file with front matter. */
export function markdown(keys: string, body = 'You help.'): string {
  return `---\n${keys}\n---\n${body}\n`
}

/** The tools of the MCP servers in these projects, beyond `echo`, `variable` and the destructive `wipe`. */
const SERVER_TOOLS = ['list', 'close', 'close_all', 'delete']

/** The program and the arguments of an MCP server, as JSON, which is valid YAML and TOML as well. */
export function serverCommand(): { readonly command: string; readonly args: string } {
  const { command, args } = stdioServer(...SERVER_TOOLS)
  return { command: JSON.stringify(command), args: JSON.stringify(args) }
}

/** The keys of an MCP server, to be followed by others, as JSON without braces. */
export function serverKeys(): string {
  const { command, args } = serverCommand()
  return `"command": ${command}, "args": ${args}`
}

/** Returns the canonical name of the tool and the arguments of a call. */
export function readCall(call: WrittenCall): { readonly tool: string; readonly args: JsonObject } {
  const [, word = '', rest = ''] = /^(\w+):? ?([^]*)$/u.exec(call) ?? []
  const found = CALLS[word]?.(rest)
  if (!isJsonObject(found?.args)) throw new Error(`No call: ${call}`)
  return found
}

const CALLS: Readonly<
  Record<string, (rest: string) => { readonly tool: string; readonly args: JsonObject }>
> = {
  shell: (command) => ({ tool: 'shell.execute', args: { command } }),
  argv: (line) => {
    const [command = '', ...args] = line.split(' ')
    return { tool: 'shell.execute', args: { command, args } }
  },
  read: (path) => ({ tool: 'filesystem.read', args: { path } }),
  write: (path) => ({ tool: 'filesystem.write', args: { path, content: 'a\n', mode: 'replace' } }),
  edit: (path) => ({
    tool: 'filesystem.write',
    args: { path, edits: [{ find: 'a', replace: 'a' }], mode: 'replace' },
  }),
  list: (path) => ({ tool: 'filesystem.list', args: { path } }),
  search: (path) => ({ tool: 'filesystem.search', args: { query: 'k', path } }),
  grep: (query) => ({ tool: 'filesystem.search', args: { query, path: 'src/a.ts' } }),
  fetch: (url) => ({ tool: 'web.fetch', args: { url } }),
  todo: () => ({ tool: 'todo.write', args: { todos: [] } }),
  remember: (name) => ({ tool: 'memory.write', args: { name, content: 'x' } }),
  mcp: (name) => {
    const [server = '', tool = ''] = name.split(' ')
    return { tool: `${server}__${tool}`, args: {} }
  },
  agent: (name) => ({ tool: `agent__${name}`, args: { text: 'go' } }),
}
