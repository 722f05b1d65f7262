import { dirname, join, posix, resolve } from 'node:path'
import { errorMessage, getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { REASONING_LEVELS } from '@troupe/schema/agent-keys'
import {
  addToList,
  type FieldContext,
  type ProblemDraft,
  type ProductFolders,
  type RawCard,
  type Translation,
} from '@troupe/cards/formats'
import { createCardFormat } from '../rules/create-card-format.ts'
import { drop, keep, mappingOf, move, rule, textOf, type FieldRules } from '../rules/field-rule.ts'
import {
  reportSettings,
  settingRows,
  settingsOfFile,
  withFileReport,
  type RuleOrigin,
} from '../rules/project-settings.ts'
import { CONFIG_RULES, SHARED_RULES } from './codex-settings.ts'
import { CODEX_SERVER_ROWS, putCodexServers } from './codex-servers.ts'
import { readToml } from './read-toml.ts'

const FOLDER = /^(?<root>(?:.*\/)?)\.codex\/agents(?=\/|$)/u
const ROOT = /^(?<root>(?:.*\/)?)\.codex(?=\/|$)/u
const CONFIG = /(?:^|\/)\.codex\/config\.toml$/u
/** Keys of `config.toml` that apply to an agent that does not set them. */
const SHARED = [
  'model',
  'model_provider',
  'model_reasoning_effort',
  'sandbox_mode',
  'model_providers',
  'default_permissions',
  'approval_policy',
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
      reason: 'read-only: no writing and no shell; else both need approval, instead of a sandbox',
    },
    () => undefined,
  ),
  default_permissions: rule(
    {
      status: 'translated',
      to: 'permissions.deny',
      reason:
        ':read-only: no writing and no shell; :workspace: both need approval; other profiles are errors',
    },
    () => undefined,
  ),
  mcp_servers: rule(
    { status: 'translated', to: 'mcpServers', reason: 'with those of `config.toml`' },
    () => undefined,
  ),
  ...SHARED_RULES,
}

/** Card format of Codex agents: `.codex/agents/*.toml`. */
export const codexFormat: ReturnType<typeof createCardFormat> = {
  ...createCardFormat({
    name: 'codex',
    product: 'Codex',
    pathPatterns: ['.codex/agents/**/*.toml', '.codex/config.toml'],
    projectFolders: ['.codex/agents'],
    folder: /(?:^|\/)\.codex\/(?:agents\/.*|config)\.toml$/u,
    agentsFolder: (path) => FOLDER.exec(path)?.[0],
    rules: RULES,
    isByPathOnly: true,
    tools: 'all',
    afterKeys: putConfig,
    projectFiles: codexFiles,
    moreRows: [...settingRows('config.toml', CONFIG_RULES), ...CODEX_SERVER_ROWS],
    several: declaredAgents,
    toleratesMissingParts: true,
  }),
  // The keys of `config.toml` are reported with its agents.
  hasAllKeys: ({ path }) => CONFIG.test(path.replaceAll('\\', '/')),
}

/** Reads the agents that a `config.toml` declares with `[agents.NAME]` and `config_file`. */
function declaredAgents(card: RawCard): readonly Translation[] | undefined {
  if (!CONFIG.test(card.path.replaceAll('\\', '/'))) return undefined
  const folder = dirname(card.path)
  const agents = Object.entries(mappingOf(card.fields['agents'])).flatMap(([name, declared]) => {
    const { config_file: file, description } = mappingOf(declared)
    if (typeof file !== 'string') return []
    const read = readAgent(resolve(folder, file), { card, root: dirname(folder) })
    const fields = 'fields' in read ? read.fields : {}
    const translation = codexFormat.translate({
      ...card,
      fields: { name, ...(description === undefined ? {} : { description }), ...fields },
      project: [
        ...(card.project ?? []).filter((settings) => settings.file !== card.path),
        settingsOfFile(card, Object.keys(card.fields)),
      ],
    })
    const problems = 'message' in read ? [unreadable(read.message, file, name)] : []
    return [{ ...translation, problems: [...problems, ...translation.problems], at: ['agents', name] }]
  })
  return withFileReport(agents, { card, rules: CONFIG_RULES })
}

function readAgent(
  path: string,
  { card, root }: { readonly card: RawCard; readonly root: string },
): ReturnType<typeof readToml> | { readonly message: string } {
  try {
    return readToml(card.readText?.(path, root) ?? '')
  } catch (error) {
    return { message: errorMessage(error) }
  }
}

function unreadable(message: string, file: string, name: string): ProblemDraft {
  return {
    code: 'card_unreadable',
    message: `\`agents.${name}.config_file\`: ${file} cannot be read: ${message}`,
    at: ['config_file'],
  }
}

/** Returns `config.toml` of the user and of the project. */
function codexFiles(path: string, { home }: ProductFolders): readonly string[] {
  const root = ROOT.exec(path)?.groups?.['root']
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
  putSandbox(config, field)
  const deniedBy = putApprovalPolicy(config, field)
  putDeclaration(field)
  for (const settings of card.project ?? []) {
    // The keys of the agent's own file are reported once for the file.
    if (settings.file === card.path) continue
    const isOfUser = rootOf(field) !== posix.join(posix.dirname(settings.name), '..')
    reportSettings(settings, CONFIG_RULES, { field, isSilent: isOfUser })
  }
  putCodexServers(mergeServers(layers), { folder: rootOf(field), deniedBy, field })
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

/** Profiles that Codex defines itself, other than the one without a sandbox. */
const PROFILES: ReadonlyMap<Json | undefined, 'read-only' | 'asks'> = new Map<Json, 'read-only' | 'asks'>([
  [':read-only', 'read-only'],
  [':workspace', 'asks'],
  [':danger-no-sandbox', 'asks'],
  [':danger-full-access', 'asks'],
])

function putSandbox(config: JsonObject, { rewriter, grant }: FieldContext): void {
  const { sandbox_mode: mode, default_permissions: profile } = config
  const key = profile === undefined ? 'sandbox_mode' : 'default_permissions'
  if (profile !== undefined && !PROFILES.has(profile))
    rewriter.addProblem({
      code: 'card_unsupported',
      message: `\`default_permissions\`: the profile ${textOf(profile)} cannot be enforced.`,
      at: [key],
      fix: 'Use `sandbox_mode`, or write `permissions` in a Troupe card.',
    })
  if (mode !== 'read-only' && PROFILES.get(profile) !== 'read-only') return
  grant.refuse(CHANGING, [key])
  addToList(rewriter, { to: ['permissions', 'deny'], values: CHANGING, from: [key] })
}

/** Values of `sandbox_mode` and `default_permissions` without a sandbox. */
const NO_SANDBOX: ReadonlySet<Json | undefined> = new Set<Json>([
  'danger-full-access',
  ':danger-full-access',
  ':danger-no-sandbox',
])

/**
 * Denies the shell if Codex refuses to ask, because there is no sandbox in which a command that needs the
 * network or other folders would fail. Returns where this was set if MCP tools may not ask either.
 */
function putApprovalPolicy(
  config: JsonObject,
  { rewriter, grant, card }: FieldContext,
): RuleOrigin | undefined {
  const { approval_policy: policy, sandbox_mode: mode, default_permissions: profile } = config
  if (NO_SANDBOX.has(profile ?? mode)) return undefined
  const granular = isJsonObject(policy) ? mappingOf(policy['granular']) : undefined
  const at = ['approval_policy']
  if (granular === undefined ? policy === 'never' : granular['sandbox_approval'] !== true) {
    grant.refuse(['shell.execute'], at)
    addToList(rewriter, { to: ['permissions', 'deny'], values: ['shell.execute'], from: at })
  }
  if (granular === undefined ? policy !== 'never' : granular['mcp_elicitations'] === true) return undefined
  const isOwn = card.fields['approval_policy'] !== undefined
  const settings = card.project?.findLast(({ fields }) => fields['approval_policy'] !== undefined)
  return { at, settings: isOwn ? undefined : settings }
}

/** Sets the name and description that `config.toml` declares for the file of the agent. */
function putDeclaration({ rewriter, card }: FieldContext): void {
  for (const { file: config, fields } of card.project ?? [])
    for (const [name, declared] of Object.entries(mappingOf(fields['agents']))) {
      const { config_file: file, description } = mappingOf(declared)
      if (join(dirname(config), textOf(file)) !== card.path) continue
      if (rewriter.get(['name']) === undefined) rewriter.put(['name'], name, ['name'])
      if (rewriter.get(['description']) === undefined && description !== undefined)
        rewriter.put(['description'], description, ['description'])
    }
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
  const root = ROOT.exec(path)?.groups?.['root'] ?? ''
  return posix.relative(posix.dirname(path), root === '' ? '.' : root) || '.'
}
