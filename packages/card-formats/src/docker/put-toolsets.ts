import type { Json, JsonObject } from '@troupe/schema'
import { parseAddressRange } from '@troupe/schema/text'
import {
  dottedPath,
  type FieldContext,
  type FieldOutcome,
  type FieldPath,
  type ListedText,
  textList,
} from '@troupe/cards/formats'
import { ignored, mappingOf, textOf } from '../rules/field-rule.ts'
import { reportNestedKeys } from '../rules/nested-keys.ts'
import { SEARCH_REASON, TOOLSET_KEYS } from './docker-keys.ts'
import { putFolders } from './put-folders.ts'
import { putMcp, reportMcpKeys } from './put-mcp.ts'
import { putAllowedDomains, putDomainRule } from '../rules/put-domains.ts'
import { MISSING_TOOLS, RUNTIME_TOOLS, type ToolMapping } from '../rules/tool-mapping.ts'

/** The position of a toolset and the context for adding it. */
export interface ToolsetContext {
  readonly field: FieldContext
  readonly at: FieldPath
}

/** Adds `toolsets`: tools of docker-agent, and MCP servers. */
export function putToolsets(value: Json, field: FieldContext): FieldOutcome {
  field.grant.limit()
  if (!Array.isArray(value)) return ignored('it is not a list')
  for (const [index, entry] of (value as readonly Json[]).entries()) {
    const at = [...field.from, index]
    field.rewriter.note({ ...putToolset(mappingOf(entry), { field, at }), key: dottedPath(at) })
  }
  return undefined
}

function putToolset(toolset: JsonObject, context: ToolsetContext): NonNullable<FieldOutcome> {
  const { field, at } = context
  const type = textOf(toolset['type'], 'none')
  const label = dottedPath(at)
  if (type === 'mcp') {
    reportMcpKeys(toolset, { ...context, label })
    return putMcp(toolset, context)
  }
  if (type === 'rag') {
    field.rewriter.addProblem({
      code: 'card_unsupported',
      message: `\`${dottedPath(at)}\`: ${SEARCH_REASON}.`,
      at,
      fix: 'Remove it, and give the agent an MCP server for search.',
    })
    return ignored(SEARCH_REASON)
  }
  const word = TOOLSETS.get(type) ?? { reason: `Troupe has no toolsets of type ${type}` }
  if (!('tools' in word)) return lostToolset(type, 'reason' in word ? (word.reason ?? '') : '', context)
  reportNestedKeys(toolset, TOOLSET_KEYS, { product: 'docker-agent', field, label, at })
  putFolders(toolset, context)
  putDomains(toolset, context)
  if (type === 'memory') putMemoryFolder(toolset, context)
  return putTools(toolset, word.tools, context)
}

/** Returns true for a toolset that becomes tools or a server. */
export function isTranslated({ type }: JsonObject): boolean {
  return type === 'mcp' || 'tools' in (TOOLSETS.get(textOf(type)) ?? {})
}

/** Toolsets without which an agent can do the same. */
const NOT_MISSED: ReadonlySet<string> = new Set([
  'think',
  'model_picker',
  'switch_model',
  'transfer_task',
  'background_agents',
])

function lostToolset(type: string, reason: string, { field, at }: ToolsetContext): NonNullable<FieldOutcome> {
  if (!NOT_MISSED.has(type))
    field.rewriter.addProblem({
      severity: 'warning',
      code: 'key_without_effect',
      message: `\`${dottedPath(at)}\`: the agent does not get the toolset \`${type}\`: ${reason}.`,
      at,
    })
  return ignored(reason)
}

/** Names the folder of the notes after the file in which docker-agent keeps them. */
function putMemoryFolder(toolset: JsonObject, { field: { rewriter }, at }: ToolsetContext): void {
  const folder = textOf(toolset['path'])
    .replace(/^(?:\.\/)+/u, '')
    .replace(/\.\w+$/u, '')
  if (folder === '' || /^(?:[/~.]|[a-z]:)|(?:^|\/)\.\.(?:\/|$)/iu.test(folder)) return
  rewriter.put(['memory'], folder, [...at, 'path'])
}

/** Allows the listed tools of a toolset, or all; with `readonly`, only those that change nothing. */
function putTools(
  toolset: JsonObject,
  all: readonly string[],
  { field, at }: ToolsetContext,
): NonNullable<FieldOutcome> {
  const listed = textList(toolset['tools'] ?? [], at) ?? []
  const own = listed.flatMap(({ text }) => (FOLDER_TOOLS.has(text) ? [] : (TOOLSET_TOOLS.get(text) ?? [])))
  const named = listed.length === 0 ? all : own.filter((name) => all.includes(name))
  const isReadOnly = toolset['readonly'] === true
  const tools = [...new Set(named)].filter((name) => !isReadOnly || READING.has(name))
  for (const tool of tools)
    field.grant.allow(
      [tool],
      at,
      tool === 'filesystem.write' && isOnlyEditing(listed) ? RUNTIME_TOOLS.edit.limit : undefined,
    )
  const missing = listed
    .map(({ text }) => text)
    .filter((text) => !TOOLSET_TOOLS.has(text) || FOLDER_TOOLS.has(text))
  const reasons = [
    ...(missing.length === 0 ? [] : [`there is no ${missing.join(', ')}`]),
    ...(isReadOnly ? ['readonly: only tools that change nothing'] : []),
  ]
  return {
    status: 'translated',
    to: tools.join(', ') || 'nothing',
    ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }),
  }
}

/** Returns true for a list of tools with which no file can be written as a whole. */
function isOnlyEditing(listed: readonly { readonly text: string }[]): boolean {
  return listed.length > 0 && !listed.some(({ text }) => text === 'write_file')
}

/** Adds the domains and addresses that a toolset `fetch` is limited to, or those that it must not reach. */
function putDomains(toolset: JsonObject, { field, at }: ToolsetContext): void {
  const tools = ['web.fetch']
  if (toolset['type'] !== 'fetch') return
  const { allowed_domains: allowed, blocked_domains: blocked } = toolset
  if (allowed !== undefined && allowed !== null) {
    const from = [...at, 'allowed_domains']
    const domains = readDomains(allowed, from, field).map(({ text }) => text)
    field.rewriter.note({ key: dottedPath(from), ...putAllowedDomains(domains, { tools, at: from }, field) })
  }
  for (const { text, at: place } of readDomains(blocked ?? [], [...at, 'blocked_domains'], field)) {
    const outcome = putDomainRule({ tools, permission: 'deny', at: place, domain: text }, field)
    field.rewriter.note({ key: dottedPath(place), ...outcome })
  }
}

/** Matches a domain, with `.` or `*.` in front of it for those below. */
const DOMAIN = /^\s*(?:\*?\.)?[^\s*/.][^\s*/]*\s*$/u

/** Returns the entries of a list of domains and addresses. Those that docker-agent rejects are errors. */
function readDomains(value: Json, from: FieldPath, { rewriter }: FieldContext): readonly ListedText[] {
  return (textList(value, from) ?? []).filter((entry) => {
    const isValid = DOMAIN.test(entry.text) || parseAddressRange(entry.text) !== undefined
    if (!isValid)
      rewriter.addProblem({
        code: 'card_bad_value',
        message: `\`${dottedPath(from)}\`: ${JSON.stringify(entry.text)} is not a domain or a range of addresses.`,
        at: entry.at,
        fix: 'Write a domain, `*.` before a domain, an IP address, or a range such as `10.0.0.0/8`.',
      })
    return isValid
  })
}

const FILE_SYSTEM = ['filesystem.read', 'filesystem.list', 'filesystem.search', 'filesystem.write']
const HTTP_TOOL = { reason: 'write the request as `functionTools` with `use: troupe:http`' }

/** Built-in toolsets of docker-agent. */
const TOOLSETS: ReadonlyMap<string, ToolMapping> = new Map<string, ToolMapping>([
  ['filesystem', { tools: FILE_SYSTEM }],
  ['file', { tools: FILE_SYSTEM }],
  ['shell', { tools: ['shell.execute'] }],
  ['user_prompt', { tools: ['human.ask'] }],
  ['fetch', RUNTIME_TOOLS.webFetch],
  ['api', HTTP_TOOL],
  ['openapi', MISSING_TOOLS.web],
  ['todo', RUNTIME_TOOLS.todo],
  ['tasks', { reason: 'use the toolset `todo`' }],
  ['plan', MISSING_TOOLS.plan],
  ['session_plan', MISSING_TOOLS.plan],
  ['lsp', MISSING_TOOLS.editor],
  ['background_agents', MISSING_TOOLS.children],
  ['transfer_task', MISSING_TOOLS.children],
  ['background_jobs', MISSING_TOOLS.background],
  ['open_url', MISSING_TOOLS.web],
  ['webhook', HTTP_TOOL],
  ['mcp_catalog', MISSING_TOOLS.changing],
  ['model_picker', { reason: 'each agent sets its own model' }],
  ['switch_model', { reason: 'each agent sets its own model' }],
  ['session_context', MISSING_TOOLS.conversations],
  ['scheduler', MISSING_TOOLS.time],
  ['git', { reason: 'use the shell or an MCP server' }],
  ['think', { reason: 'models reason on their own; see `reasoning`' }],
  ['memory', RUNTIME_TOOLS.memory],
  ['script', { reason: 'write the scripts as `functionTools`' }],
  ['a2a', MISSING_TOOLS.remote],
])
/** Tools of docker-agent's file system and shell toolsets. */
export const FILE_TOOLS: ReadonlyMap<string, string> = new Map([
  ['read_file', 'filesystem.read'],
  ['read_multiple_files', 'filesystem.read'],
  ['write_file', 'filesystem.write'],
  ['edit_file', 'filesystem.write'],
  ['create_directory', 'filesystem.write'],
  ['remove_directory', 'filesystem.write'],
  ['list_directory', 'filesystem.list'],
  ['directory_tree', 'filesystem.list'],
  ['search_files_content', 'filesystem.search'],
  ['search_files', 'filesystem.search'],
  ['shell', 'shell.execute'],
])
/** Tools for folders, which do not write files. Troupe creates folders with the files in them. */
export const FOLDER_TOOLS: ReadonlySet<string> = new Set(['create_directory', 'remove_directory'])
/** Tools of docker-agent's built-in toolsets. Tools of MCP servers may have the same names. */
export const TOOLSET_TOOLS: ReadonlyMap<string, string> = new Map([
  ...FILE_TOOLS,
  ['fetch', 'web.fetch'],
  ['create_todo', 'todo.write'],
  ['create_todos', 'todo.write'],
  ['update_todo', 'todo.write'],
  ['update_todos', 'todo.write'],
  ['list_todos', 'todo.read'],
  ['add_memory', 'memory.write'],
  ['update_memory', 'memory.write'],
  ['delete_memory', 'memory.delete'],
  ['get_memories', 'memory.read'],
  ['search_memories', 'memory.read'],
])
/** Canonical names of tools that change nothing. */
const READING: ReadonlySet<string> = new Set([
  'filesystem.read',
  'filesystem.list',
  'filesystem.search',
  'human.ask',
  'web.fetch',
  'todo.read',
  'memory.list',
  'memory.read',
])
