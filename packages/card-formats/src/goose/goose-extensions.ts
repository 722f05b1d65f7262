import type { Json, JsonObject } from '@troupe/schema'
import {
  dottedPath,
  exactToolNames,
  type FieldContext,
  type FieldOutcome,
  type FieldPath,
  type FieldRow,
  textList,
} from '@troupe/cards/formats'
import { drop, ignored, translated, isText, mappingOf, textOf } from '../rules/field-rule.ts'
import { nestedRows, reportNestedKeys, type NestedKeys } from '../rules/nested-keys.ts'
import { putServer } from '../rules/server-keys.ts'
import { MISSING_TOOLS, RUNTIME_TOOLS, type ToolMapping } from '../rules/tool-mapping.ts'

/** Built-in extensions of goose. */
const BUILT_IN: ReadonlyMap<string, ToolMapping> = new Map<string, ToolMapping>([
  [
    'developer',
    {
      tools: ['filesystem.read', 'filesystem.list', 'filesystem.search', 'filesystem.write', 'shell.execute'],
    },
  ],
  ['analyze', { tools: ['filesystem.read', 'filesystem.list', 'filesystem.search'] }],
  ['skills', { tools: ['skill.read'] }],
  ['todo', RUNTIME_TOOLS.todo],
  ['summon', MISSING_TOOLS.children],
  ['memory', RUNTIME_TOOLS.memory],
  ['computercontroller', { tools: ['web.fetch'], reason: 'of its tools only `web_scrape`' }],
  ['autovisualiser', { reason: 'answers are text' }],
  ['tutorial', { reason: 'it explains goose itself' }],
  ['extensionmanager', MISSING_TOOLS.changing],
  ['chatrecall', MISSING_TOOLS.conversations],
])
/** Extensions without which an agent can do the same. */
const NOT_MISSED: ReadonlySet<string> = new Set(['summon', 'tutorial', 'extensionmanager'])
const OF_SERVERS = translated('mcpServers')
const CATALOGUE = drop('it is catalogue metadata')
const EXTENSION_KEYS: NestedKeys = {
  type: translated(
    'mcpServers, runtimeTools, tools',
    'others than servers and built-in ones cause a warning',
  ),
  name: OF_SERVERS,
  cmd: OF_SERVERS,
  args: OF_SERVERS,
  uri: OF_SERVERS,
  headers: OF_SERVERS,
  envs: OF_SERVERS,
  env_keys: translated('mcpServers', 'variables of the same names'),
  cwd: OF_SERVERS,
  timeout: translated('mcpServers', 'the `toolTimeout` of the server'),
  available_tools: translated('tools', 'an empty list is all'),
  code: drop('an extension in Python causes a warning'),
  dependencies: drop('an extension in Python causes a warning'),
  description: CATALOGUE,
  display_name: CATALOGUE,
  bundled: CATALOGUE,
}

/** Rows of the documentation for the keys of an extension. */
export const EXTENSION_ROWS: readonly FieldRow[] = nestedRows('extensions.*', EXTENSION_KEYS)

const TYPES: ReadonlyMap<Json, string> = new Map<Json, string>([
  ['stdio', 'stdio'],
  ['sse', 'sse'],
  ['streamable_http', 'http'],
])
/** Tools of goose's built-in extensions. */
const OWN_TOOLS: ReadonlyMap<string, readonly string[]> = new Map([
  ['shell', ['shell.execute']],
  ['text_editor', ['filesystem.read', 'filesystem.write']],
  ['read', ['filesystem.read']],
  ['view', ['filesystem.read']],
  ['write', ['filesystem.write']],
  ['edit', ['filesystem.write']],
  ['tree', ['filesystem.list']],
  ['list', ['filesystem.list']],
  ['analyze', ['filesystem.read', 'filesystem.list', 'filesystem.search']],
  ['search', ['filesystem.search']],
  ['rg', ['filesystem.search']],
  ['todo_read', ['todo.read']],
  ['todo_write', ['todo.write']],
  ['remember_memory', ['memory.write']],
  ['web_scrape', ['web.fetch']],
  ['retrieve_memories', ['memory.list', 'memory.read']],
  ['remove_memory_category', ['memory.delete']],
  ['remove_specific_memory', ['memory.write']],
])
/** The template variable for the folder of a recipe. */
const RECIPE_FOLDER = /\{\{\s*recipe_dir\s*\}\}/gu

/** Adds `extensions`: built-in tools of goose, and MCP servers. */
export function putExtensions(value: Json, field: FieldContext): FieldOutcome {
  field.grant.limit()
  if (!Array.isArray(value)) return ignored('it is not a list')
  for (const [index, entry] of (value as readonly Json[]).entries()) {
    const at = [...field.from, index]
    const extension = isText(entry) ? { type: 'builtin', name: entry } : mappingOf(entry)
    reportNestedKeys(extension, EXTENSION_KEYS, { product: 'goose', field, label: dottedPath(at), at })
    const outcome = putExtension(extension, { field, at })
    if (outcome !== undefined) field.rewriter.note({ key: dottedPath(at), ...outcome })
  }
  return undefined
}

function putExtension(
  extension: JsonObject,
  { field, at }: { readonly field: FieldContext; readonly at: FieldPath },
): FieldOutcome {
  const type = TYPES.get(extension['type'] ?? '')
  const name = textOf(extension['name'], `server${String(at.at(-1))}`).replaceAll(/\s+/gu, '-')
  if (type === undefined) return putBuiltIn(extension, name, { field, at })
  const { cmd, args, uri, headers, envs, cwd, timeout } = extension
  const keys = textList(extension['env_keys'] ?? [], at) ?? []
  const env = { ...mappingOf(envs), ...Object.fromEntries(keys.map(({ text }) => [text, `\${${text}}`])) }
  const server: Record<string, Json | undefined> = {
    ...(type === 'stdio'
      ? { command: withoutRecipeFolder(cmd), args: withoutRecipeFolder(args) }
      : { type, url: uri, headers }),
    cwd: withoutRecipeFolder(cwd),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(typeof timeout === 'number' ? { toolTimeout: timeout * 1000 } : {}),
  }
  const given = Object.fromEntries(Object.entries(server).filter(([, member]) => member !== undefined))
  putServer(name, given as JsonObject, { field, at })
  const tools = textList(extension['available_tools'] ?? [], at)?.map(({ text }) => text) ?? []
  field.grant.allowServer(name, at, tools.length === 0 ? ['*'] : exactToolNames(tools))
  return translated(`mcpServers.${name}`)
}

function putBuiltIn(
  extension: JsonObject,
  name: string,
  { field, at }: { readonly field: FieldContext; readonly at: FieldPath },
): FieldOutcome {
  const type = textOf(extension['type'], 'unknown')
  const word = BUILT_IN.get(name.toLowerCase())
  if (word === undefined || !('tools' in word)) {
    const reason = reasonOf(type, word)
    if (!NOT_MISSED.has(name.toLowerCase()))
      field.rewriter.addProblem({
        severity: 'warning',
        code: 'key_without_effect',
        message: `\`${dottedPath(at)}\`: the agent does not get the extension "${name}": ${reason}.`,
        at,
      })
    return ignored(reason)
  }
  const tools = availableTools(extension, word.tools)
  field.grant.allow(tools, at)
  return translated(tools.join(', ') || 'nothing', word.reason)
}

function reasonOf(type: string, word: ToolMapping | undefined): string {
  if (word !== undefined && 'reason' in word) return word.reason ?? ''
  if (type === 'inline_python') return 'Python code in a recipe is not run'
  return `Troupe has no ${type} extension of that name`
}

/** Returns true if the extensions of a recipe give the agent a shell. */
export function hasShell(extensions: Json | undefined): boolean {
  return (Array.isArray(extensions) ? (extensions as readonly Json[]) : []).some((entry) => {
    const extension = isText(entry) ? { name: entry } : mappingOf(entry)
    const word = TYPES.has(extension['type'] ?? '')
      ? undefined
      : BUILT_IN.get(textOf(extension['name']).toLowerCase())
    return (
      word !== undefined && 'tools' in word && availableTools(extension, word.tools).includes('shell.execute')
    )
  })
}

/** Returns the tools of an extension that the recipe lists, or all if it has no list. */
function availableTools(extension: JsonObject, all: readonly string[]): readonly string[] {
  const listed = textList(extension['available_tools'] ?? [], []) ?? []
  if (listed.length === 0) return all
  const named = new Set(listed.flatMap(({ text }) => OWN_TOOLS.get(text.replace(/^.*__/u, '')) ?? []))
  return all.filter((name) => named.has(name))
}

/** Replaces the recipe folder in paths by `.`, because servers run in the folder of their recipe. */
export function withoutRecipeFolder(value: Json | undefined): Json | undefined {
  if (isText(value)) return value.replaceAll(RECIPE_FOLDER, '.')
  return Array.isArray(value)
    ? (value as readonly Json[]).map((member) => withoutRecipeFolder(member) ?? member)
    : value
}
