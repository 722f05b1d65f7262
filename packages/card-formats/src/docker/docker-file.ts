import { getOwn, type JsonObject } from '@troupe/schema'
import { type Translation } from '@troupe/cards/formats'

/** Keys of the file that are ignored, with the reason. */
const FILE_KEYS: Readonly<Record<string, string>> = {
  version: 'it is the version of the format',
  metadata: 'it is for catalogues',
  providers: 'providers are those of troupe.json',
  rag: 'name an MCP server that searches',
  commands: 'there are no commands',
  skills: 'skills are found by folder here; see `skills`',
  toolsets: 'shared toolsets are not read; write them into the agent',
  flavors: 'a file has one form',
  budgets: 'a budget holds for an agent and everything below it; see `limits`',
}
/** Keys of the file that apply to every agent. */
export const SHARED = ['models', 'mcps'] as const
/** Keys of the file that apply to the whole run. They are set on the entry agent and so limit the agents it calls. */
export const RUN_KEYS = ['budget', 'runtime'] as const
const OF_AGENTS: ReadonlySet<string> = new Set(['agents', 'dialect', 'permissions', ...SHARED, ...RUN_KEYS])
/** Every key that a file may have besides those of an agent. */
export const DOCKER_FILE_KEYS: readonly string[] = [
  'agents',
  'permissions',
  ...SHARED,
  ...RUN_KEYS,
  ...Object.keys(FILE_KEYS),
]

/** Reports the keys of a file that belong to none of its agents. */
export function fileReport(fields: JsonObject): Translation['report'] {
  return Object.keys(fields).flatMap((key) => {
    if (OF_AGENTS.has(key)) return []
    return [
      {
        key: `(file) ${key}`,
        status: 'ignored' as const,
        reason: getOwn(FILE_KEYS, key) ?? 'docker-agent has no such key',
      },
    ]
  })
}
