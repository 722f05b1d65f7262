import { closest } from '@troupe/schema/text'
import { dottedPath, type FieldPath } from '../card/problem.ts'
import { knownKeys } from './card-json-schema.ts'

/** Keys of other tools that have another meaning or several meanings in Troupe. */
const KEY_SUGGESTIONS: ReadonlyMap<string, string> = new Map([
  ['human_input', 'runtimeTools: [human]'],
  ['max_tokens', 'maxOutputTokens` (one answer) or `limits.maxTokens'],
  ['maxTokens', 'maxOutputTokens` (one answer) or `limits.maxTokens'],
  ['prompt', 'instruction'],
  ['shell', 'runtimeTools: [shell]'],
  ['sub_agents', 'agents'],
  ['subagents', 'agents'],
  ['todo', 'runtimeTools: [todo]'],
  ['web_fetch', 'runtimeTools: [fetch]'],
  ['web_search', 'runtimeTools: [search]'],
  ['system', 'instruction'],
  ['system_prompt', 'instruction'],
  ['timeout', 'limits.timeout'],
])

/** Keys that other products use in the definition of an MCP server, with Troupe's. */
export const SERVER_KEYS: ReadonlyMap<string, string> = new Map([
  ['uri', 'url'],
  ['httpUrl', 'url'],
  ['serverUrl', 'url'],
  ['environment', 'env'],
  ['envs', 'env'],
  ['cmd', 'command'],
  ['working_dir', 'cwd'],
])

/** Keys that other tools use in the definition of an MCP server, with Troupe's. */
export const SERVER_KEY_SUGGESTIONS: ReadonlyMap<string, string> = new Map([
  ...SERVER_KEYS,
  ['transport', 'type'],
])

/** Mappings searched for a key that was written at the wrong level. */
const CONTAINERS = ['limits', 'input', 'output', 'context', 'display', 'exports', 'permissions', 'loopHooks']

/** Returns a suggestion for an unknown key, as text for a message; `undefined` if no key is similar. */
export function suggestKey(
  at: { readonly path: FieldPath; readonly key: string },
  aliases: ReadonlyMap<string, string>,
): string | undefined {
  const suggestion = at.path.length === 0 ? KEY_SUGGESTIONS.get(at.key) : undefined
  if (suggestion !== undefined) return suggestion
  const prefix = at.path.length === 0 ? '' : `${dottedPath(at.path)}.`
  const server =
    at.path.length === 2 && at.path[0] === 'mcpServers' ? SERVER_KEY_SUGGESTIONS.get(at.key) : undefined
  if (server !== undefined) return `${prefix}${server}`
  const here = new Map(knownKeys(at.path).map((key) => [key, `${prefix}${key}`]))
  const near = closest(at.key, here.keys())
  if (near !== undefined) return here.get(near)
  const alias = closest(at.key, aliases.keys())
  if (at.path.length === 0 && alias !== undefined) return aliases.get(alias)
  return findInOtherMappings(at)
}

/** Returns the full path of a similar key in another mapping. */
function findInOtherMappings(at: { readonly path: FieldPath; readonly key: string }): string | undefined {
  const top = at.path.length === 0 ? [] : knownKeys([]).map((key) => [key, key] as const)
  const nested = CONTAINERS.flatMap((container) =>
    knownKeys([container]).map((key) => [key, `${container}.${key}`] as const),
  )
  const paths = new Map([...nested, ...top])
  const near = closest(at.key, paths.keys())
  return near === undefined ? undefined : paths.get(near)
}
