import { posix } from 'node:path'
import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { REASONING_LEVELS } from '@troupe/schema/agent-keys'
import { addToList, type FieldContext, type ProductFolders } from '@troupe/cards/formats'
import { createCardFormat } from '../rules/create-card-format.ts'
import {
  drop,
  dropWithWarning,
  keep,
  mappingOf,
  move,
  rule,
  textOf,
  type FieldRules,
} from '../rules/field-rule.ts'
import { putCodexServers } from './codex-servers.ts'

const FOLDER = /^(?<root>(?:.*\/)?)\.codex\/agents(?=\/|$)/u
/** Keys of `config.toml` that apply to an agent that does not set them. */
const SHARED = [
  'model',
  'model_provider',
  'model_reasoning_effort',
  'sandbox_mode',
  'model_providers',
] as const
/** Default tools of other products that agents of Codex do not have. */
const NOT_IN_CODEX = ['web.fetch', 'todo.read', 'todo.write']
const CHANGING = ['filesystem.write', 'shell.execute']
const APIS: ReadonlyMap<Json | undefined, string> = new Map([
  ['responses', 'responses'],
  ['chat', 'chat'],
])
const FROM_CONFIG = 'else that of `config.toml`'

const RULES: FieldRules = {
  name: keep(),
  description: keep(),
  developer_instructions: move(['instruction']),
  nickname_candidates: drop('an agent has one name'),
  model: rule({ status: 'translated', to: 'model', reason: FROM_CONFIG }, () => undefined),
  model_provider: rule({ status: 'translated', to: 'model' }, () => undefined),
  model_providers: rule({ status: 'translated', to: 'providers in troupe.json' }, () => undefined),
  model_reasoning_effort: rule(
    { status: 'translated', to: 'reasoning', reason: FROM_CONFIG },
    () => undefined,
  ),
  sandbox_mode: rule(
    {
      status: 'translated',
      to: 'permissions.deny',
      reason: 'read-only: no writing and no shell; else both need approval',
    },
    () => undefined,
  ),
  mcp_servers: rule(
    { status: 'translated', to: 'mcpServers', reason: 'with those of `config.toml`' },
    () => undefined,
  ),
  approval_policy: drop('writing and the shell need approval; see `permissions`'),
  sandbox_workspace_write: drop('file tools are limited to the working folder of the run'),
  model_reasoning_summary: drop('summaries are not requested'),
  model_verbosity: drop('provider-specific settings are not sent'),
  model_context_window: drop('the provider defines it; see `providers` in troupe.json'),
  web_search: drop('list an MCP server or a tool for it'),
  tools: drop('list an MCP server or a tool for it'),
  skills: dropWithWarning('Troupe finds skills by folder; see `skills`'),
  hooks: dropWithWarning('hooks are shell commands in Codex; write them as `toolHooks`'),
  permissions: dropWithWarning('profiles of Codex are not read; see `permissions`'),
  default_permissions: dropWithWarning('profiles of Codex are not read; see `permissions`'),
}

/** Card format of Codex agents: `.codex/agents/*.toml`. */
export const codexFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'codex',
  product: 'Codex',
  pathPatterns: ['.codex/agents/**/*.toml'],
  projectFolders: ['.codex/agents'],
  folder: /(?:^|\/)\.codex\/agents\/.*\.toml$/u,
  agentsFolder: (path) => FOLDER.exec(path)?.[0],
  rules: RULES,
  isByPathOnly: true,
  tools: 'all',
  afterKeys: putConfig,
  projectFiles: codexFiles,
  toleratesMissingParts: true,
})

/** Returns `config.toml` of the user and of the project. */
function codexFiles(path: string, { home }: ProductFolders): readonly string[] {
  const root = FOLDER.exec(path)?.groups?.['root']
  const folders = [
    ...(home === undefined ? [] : [`${home.replaceAll('\\', '/')}/`]),
    ...(root === undefined ? [] : [root]),
  ]
  return folders.map((folder) => `${folder}.codex/config.toml`)
}

/** Applies the keys of the agent, or of `config.toml` where it does not set them. */
function putConfig(field: FieldContext): void {
  const { card } = field
  const layers = [...(card.project ?? []).map(({ fields }) => fields), card.fields]
  const config = Object.fromEntries(
    SHARED.flatMap((key) => {
      const value = layers.findLast((layer) => layer[key] !== undefined)?.[key]
      return value === undefined ? [] : [[key, value] as const]
    }),
  )
  field.grant.refuse(NOT_IN_CODEX, [])
  putModel(config, field)
  putSandbox(config['sandbox_mode'], field)
  putCodexServers(mergeServers(layers), rootOf(field), field)
}

function putModel(config: JsonObject, { rewriter }: FieldContext): void {
  const { model, model_provider: provider, model_reasoning_effort: effort } = config
  if (typeof model === 'string') {
    const id = textOf(provider, 'openai')
    const defined = mappingOf(getOwn(mappingOf(config['model_providers']), id))
    const { base_url: baseURL, env_key: key, wire_api: api } = defined
    if (id !== 'openai' && typeof baseURL === 'string')
      rewriter.addProvider(id, {
        baseURL,
        api: APIS.get(api) ?? 'responses',
        ...(typeof key === 'string' ? { apiKey: `\${${key}}` } : {}),
      })
    rewriter.put(['model'], `${id}/${model}`, ['model'])
  }
  if (REASONING_LEVELS.some((level) => level === effort))
    rewriter.put(['reasoning'], effort ?? '', ['model_reasoning_effort'])
}

function putSandbox(mode: Json | undefined, { rewriter, grant }: FieldContext): void {
  if (mode !== 'read-only') return
  grant.refuse(CHANGING, ['sandbox_mode'])
  addToList(rewriter, { to: ['permissions', 'deny'], values: CHANGING, from: ['sandbox_mode'] })
}

/** Merges servers of several layers. A later layer replaces single keys of a server. */
function mergeServers(layers: readonly JsonObject[]): JsonObject {
  const merged: Record<string, Json> = {}
  for (const layer of layers)
    for (const [name, server] of Object.entries(mappingOf(layer['mcp_servers'])))
      merged[name] = isJsonObject(server) ? { ...mappingOf(merged[name]), ...server } : server
  return merged
}

/** Returns the folder of the project, relative to that of the card. */
function rootOf({ card }: FieldContext): string {
  const path = card.path.replaceAll('\\', '/')
  const root = FOLDER.exec(path)?.groups?.['root'] ?? ''
  return posix.relative(posix.dirname(path), root === '' ? '.' : root) || '.'
}
