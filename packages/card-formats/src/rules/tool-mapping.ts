import { closest } from '@troupe/schema/text'
import {
  addToList,
  dottedPath,
  type CallLimit,
  type FieldContext,
  type FieldOutcome,
  type FieldPath,
  type FieldReport,
  type ListedText,
} from '@troupe/cards/formats'

/** A tool with equivalents in Troupe. */
interface RuntimeToolMapping {
  readonly tools: readonly string[]
  /** True if every call needs approval. */
  readonly ask?: true
  /** The calls that the tool of the product can make. Default: all. */
  readonly limit?: CallLimit
  readonly reason?: string
}

/** The equivalent of a product's tool in Troupe. */
export type ToolMapping =
  | RuntimeToolMapping
  | { readonly everything: true }
  | { readonly server: string; readonly tool?: string }
  | { readonly agents: readonly string[] }
  | { readonly reason: string }

/** The tool names of a product. */
export interface ProductTools {
  readonly product: string
  /** Built-in tools of the product. */
  readonly known: ReadonlyMap<string, ToolMapping>
  /** Returns the tool for a name that follows a pattern, such as that of an MCP tool. */
  readonly read: (name: string) => ToolMapping | undefined
  /** Returns the tool that an unknown name most likely means. Default: the most similar one of `known`. */
  readonly suggest?: (name: string) => string | undefined
  /** Hint for unknown names. */
  readonly hint?: string
}

/** A tool of another product without an equivalent in Troupe. */
interface MissingTool {
  readonly reason: string
}

type MissingToolKind =
  | 'web'
  | 'editor'
  | 'plan'
  | 'background'
  | 'children'
  | 'time'
  | 'place'
  | 'conversations'
  | 'changing'
  | 'remote'

/** Tools of other products without an equivalent in Troupe, with the reason. */
export const MISSING_TOOLS: Readonly<Record<MissingToolKind, MissingTool>> = {
  web: { reason: 'use an MCP server' },
  editor: { reason: 'it belongs to the editor' },
  plan: { reason: 'Troupe has no plan mode' },
  background: { reason: 'a command has always ended when its result is returned' },
  children: { reason: 'an agent calls the agents listed in `agents`' },
  time: { reason: 'Troupe does not schedule runs' },
  place: { reason: 'an agent works in the folder in which the run was started' },
  conversations: { reason: 'an agent only sees the conversation of its run' },
  changing: { reason: 'the tools of an agent cannot change during a run' },
  remote: { reason: 'this version cannot call remote agents (A2A)' },
}

/** Canonical names of built-in tools by purpose. */
export const RUNTIME_TOOLS: Readonly<
  Record<
    | 'read'
    | 'readNotebook'
    | 'write'
    | 'writeNotebook'
    | 'createFile'
    | 'edit'
    | 'list'
    | 'search'
    | 'find'
    | 'shell'
    | 'human'
    | 'skill'
    | 'webFetch'
    | 'webSearch'
    | 'web'
    | 'todoRead'
    | 'todoWrite'
    | 'todo'
    | 'memory'
    | 'saveMemory',
    RuntimeToolMapping
  >
> = {
  read: { tools: ['filesystem.read'] },
  readNotebook: {
    tools: ['filesystem.read'],
    limit: { argument: 'path', pattern: '*.ipynb' },
    reason: 'only notebooks',
  },
  write: { tools: ['filesystem.write'] },
  writeNotebook: {
    tools: ['filesystem.write'],
    limit: { argument: 'path', pattern: '*.ipynb' },
    reason: 'only notebooks',
  },
  createFile: {
    tools: ['filesystem.write'],
    limit: { argument: 'mode', pattern: 'create' },
    reason: 'only new files',
  },
  edit: { tools: ['filesystem.write'], limit: { argument: 'content' }, reason: 'only `edits`' },
  list: { tools: ['filesystem.list'] },
  search: { tools: ['filesystem.search'] },
  find: { tools: ['filesystem.list', 'filesystem.search'] },
  shell: { tools: ['shell.execute'] },
  human: { tools: ['human.ask'] },
  skill: { tools: ['skill.read'] },
  webFetch: { tools: ['web.fetch'] },
  webSearch: { tools: ['web.search'] },
  web: { tools: ['web.fetch', 'web.search'] },
  todoRead: { tools: ['todo.read'] },
  todoWrite: { tools: ['todo.write'] },
  todo: { tools: ['todo.read', 'todo.write'] },
  memory: { tools: ['memory.list', 'memory.read', 'memory.write', 'memory.delete'] },
  saveMemory: { tools: ['memory.list', 'memory.read', 'memory.write'] },
}

/** Allows the tools of a list and reports how each was interpreted. */
export function allowNamedTools(
  names: readonly ListedText[],
  productTools: ProductTools,
  field: FieldContext,
): FieldOutcome {
  field.grant.limit()
  return summary(names.map((name) => allowNamedTool(name, productTools, field)))
}

/** Looks up the equivalent of a tool name. */
export function lookupTool(name: string, productTools: ProductTools): ToolMapping | undefined {
  return productTools.known.get(name) ?? productTools.known.get(name.toLowerCase()) ?? productTools.read(name)
}

/** Allows one tool and reports how it was interpreted. */
function allowNamedTool(
  { text, at }: ListedText,
  productTools: ProductTools,
  field: FieldContext,
): FieldReport {
  const word = lookupTool(text, productTools)
  const report =
    word === undefined ? unknownTool({ text, at }, productTools, field) : allowTool(word, at, field)
  const entry = { key: `${dottedPath(field.from)}: ${text}`, ...report }
  field.rewriter.note(entry)
  return entry
}

/** Allows the equivalents of a tool and returns the report. */
export function allowTool(word: ToolMapping, at: FieldPath, field: FieldContext): Omit<FieldReport, 'key'> {
  const { grant, rewriter } = field
  if ('tools' in word) {
    grant.allow(word.tools, at, word.limit)
    if (word.ask === true) addToList(rewriter, { to: ['permissions', 'ask'], values: word.tools, from: at })
    return { status: 'translated', to: word.tools.join(', '), ...reasonOf(word) }
  }
  if ('everything' in word) {
    grant.allowAll(at)
    return { status: 'translated', to: 'every tool it has' }
  }
  if ('server' in word) {
    grant.allowServer(word.server, at, [word.tool ?? '*'])
    if (!isDefined(word.server, field))
      addToList(rewriter, { to: ['servers'], values: [word.server], from: at })
    return { status: 'translated', to: `${word.server}__${word.tool ?? '*'}` }
  }
  if ('agents' in word) {
    addToList(rewriter, { to: ['agents'], values: word.agents, from: at })
    return { status: 'translated', to: 'agents' }
  }
  return { status: 'ignored', reason: word.reason }
}

/** Returns true if the card defines the server itself, under any of the keys for that. */
function isDefined(server: string, { card }: FieldContext): boolean {
  return ['mcpServers', 'mcp_servers', 'mcp-servers', 'mcp'].some((key) => {
    const servers = card.fields[key]
    return typeof servers === 'object' && servers !== null && Object.hasOwn(servers, server)
  })
}

const CORRECT = 'Correct the name, or remove it.'

function unknownTool(
  { text, at }: ListedText,
  productTools: ProductTools,
  { rewriter, from }: FieldContext,
): Omit<FieldReport, 'key'> {
  const { suggest = (name) => closest(name, productTools.known.keys()) } = productTools
  const near = suggest(text)
  const hint = near === undefined ? '.' : `; did you mean \`${near}\`?`
  rewriter.addProblem({
    severity: 'warning',
    code: 'tool_unknown',
    message: `\`${dottedPath(from)}\`: ${productTools.product} has no tool "${text}"${hint}`,
    at,
    fix: productTools.hint === undefined ? CORRECT : `${CORRECT} ${productTools.hint}`,
  })
  return { status: 'ignored', reason: `${productTools.product} has no tool of that name` }
}

function reasonOf({ reason }: { readonly reason?: string }): { readonly reason?: string } {
  return reason === undefined ? {} : { reason }
}

function summary(outcomes: readonly FieldReport[]): FieldOutcome {
  const isAny = outcomes.some((outcome) => outcome.status !== 'ignored')
  if (outcomes.length === 0)
    return { status: 'translated', to: 'tools', reason: 'the list is empty: no tools' }
  return isAny
    ? undefined
    : { status: 'translated', to: 'tools', reason: 'none of them exists, so the agent has no tools' }
}

/** Matches a name against a pattern with `*`, without building a regular expression. */
export function fitsPattern(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return name === pattern
  if (!name.startsWith(first) || !name.endsWith(last)) return false
  let from = first.length
  for (const part of rest) {
    const at = name.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return from <= name.length - last.length
}
