import { posix } from 'node:path'
import type { Json, JsonObject } from '@troupe/schema'
import {
  dottedPath,
  type FieldContext,
  type FieldOutcome,
  type FieldPath,
  textList,
} from '@troupe/cards/formats'
import { ignored, refuse, mappingOf, textOf } from '../rules/field-rule.ts'
import { putMcp } from './put-mcp.ts'
import { putAllowedDomains, putDomainRule } from '../rules/put-domains.ts'
import { putArgumentRule } from '../rules/put-rule.ts'
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
  if (toolset['type'] === 'mcp') return putMcp(toolset, context)
  const type = textOf(toolset['type'], 'none')
  if (type === 'rag') return refuseSearch(context)
  const word = TOOLSETS.get(type)
  if (word === undefined) return { status: 'ignored', reason: `Troupe has no toolsets of type ${type}` }
  if (!('tools' in word)) return { status: 'ignored', reason: 'reason' in word ? (word.reason ?? '') : '' }
  putFolders(toolset, context)
  putDomains(toolset, context)
  return putTools(toolset, word.tools, context)
}

function refuseSearch({ field, at }: ToolsetContext): NonNullable<FieldOutcome> {
  const reason = 'Troupe has no search in documents (RAG)'
  refuse(reason, 'Remove it, and give the agent an MCP server for search.').apply?.('rag', {
    ...field,
    from: at,
  })
  return { status: 'ignored', reason }
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

/** Adds the folders that a toolset of file tools is limited to, or those that it must not reach. */
function putFolders(toolset: JsonObject, { field, at }: ToolsetContext): void {
  const { allow_list: allowed, deny_list: denied } = toolset
  const deny = (pattern: string, from: FieldPath, except: readonly string[] = []): void =>
    field.rewriter.note({
      key: dottedPath(from),
      ...putArgumentRule({ tools: FILE_SYSTEM, permission: 'deny', pattern, except, at: from }, field),
    })
  for (const { text, at: from } of textList(denied ?? [], [...at, 'deny_list']) ?? []) deny(text, from)
  if (allowed === undefined || allowed === null) return
  const from = [...at, 'allow_list']
  const folders = (textList(allowed, from) ?? []).map(({ text }) => posix.normalize(text).replace(/\/$/u, ''))
  if (!folders.includes('.'))
    deny(
      '*',
      from,
      folders.flatMap((folder) => [folder, `${folder}/**`]),
    )
}

/** Adds the domains that a toolset `fetch` is limited to, or those that it must not reach. */
function putDomains(toolset: JsonObject, { field, at }: ToolsetContext): void {
  const tools = ['web.fetch']
  if (toolset['type'] !== 'fetch') return
  const { allowed_domains: allowed, blocked_domains: blocked } = toolset
  if (allowed !== undefined && allowed !== null) {
    const from = [...at, 'allowed_domains']
    const domains = (textList(allowed, from) ?? []).map(({ text }) => text)
    field.rewriter.note({ key: dottedPath(from), ...putAllowedDomains(domains, { tools, at: from }, field) })
  }
  const from = [...at, 'blocked_domains']
  for (const { text, at: place } of textList(blocked ?? [], from) ?? [])
    field.rewriter.note({
      key: dottedPath(place),
      ...putDomainRule({ tools, permission: 'deny', at: place, domain: text }, field),
    })
}

const FILE_SYSTEM = ['filesystem.read', 'filesystem.list', 'filesystem.search', 'filesystem.write']
/** Built-in toolsets of docker-agent. */
const TOOLSETS: ReadonlyMap<string, ToolMapping> = new Map<string, ToolMapping>([
  ['filesystem', { tools: FILE_SYSTEM }],
  ['file', { tools: FILE_SYSTEM }],
  ['shell', { tools: ['shell.execute'] }],
  ['user_prompt', { tools: ['human.ask'] }],
  ['fetch', RUNTIME_TOOLS.webFetch],
  ['api', MISSING_TOOLS.web],
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
  ['webhook', MISSING_TOOLS.web],
  ['mcp_catalog', MISSING_TOOLS.changing],
  ['model_picker', { reason: 'each agent sets its own model' }],
  ['switch_model', { reason: 'each agent sets its own model' }],
  ['session_context', MISSING_TOOLS.conversations],
  ['scheduler', MISSING_TOOLS.time],
  ['commands', { reason: 'Troupe has no commands' }],
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
