import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dotted, type FieldPath } from '../field-path.ts'
import { addToList } from './add-to-list.ts'
import type { DialectInput, Translation } from './dialect.ts'
import { drop, dropLoudly, ignored, keep, move, rule, translated } from './field-rule.ts'
import type { FieldContext, FieldOutcome, FieldRules } from './field-rule.ts'
import { keyDialect } from './key-dialect.ts'
import { isText, mappingOf, textOf } from './json-shapes.ts'
import { putServer } from './server-words.ts'
import { textList } from './text-list.ts'
import { NO_TOOL, type ToolWord } from './tool-words.ts'

/** Toolsets that docker-agent itself brings. */
const TOOLSETS: ReadonlyMap<string, ToolWord> = new Map<string, ToolWord>([
  ['filesystem', { tools: ['filesystem.read', 'filesystem.list', 'filesystem.search', 'filesystem.write'] }],
  ['shell', { tools: ['shell.execute'] }],
  ['user_prompt', { tools: ['human.ask'] }],
  ['fetch', NO_TOOL.web],
  ['api', NO_TOOL.web],
  ['openapi', NO_TOOL.web],
  ['todo', NO_TOOL.todo],
  ['tasks', NO_TOOL.todo],
  ['plan', NO_TOOL.plan],
  ['lsp', NO_TOOL.editor],
  ['background_agents', NO_TOOL.children],
  ['think', { reason: 'models think by themselves; see `reasoning`' }],
  ['memory', { reason: 'agents keep nothing between runs' }],
  ['script', { reason: 'write the scripts as `functionTools`' }],
  ['rag', { reason: 'name an MCP server that searches' }],
  ['a2a', { reason: 'agents that run elsewhere cannot be called by this version' }],
])
/** What the tools of its file system are called. */
const FILE_TOOLS: ReadonlyMap<string, string> = new Map([
  ['read_file', 'filesystem.read'],
  ['read_multiple_files', 'filesystem.read'],
  ['write_file', 'filesystem.write'],
  ['edit_file', 'filesystem.write'],
  ['create_directory', 'filesystem.write'],
  ['list_directory', 'filesystem.list'],
  ['directory_tree', 'filesystem.list'],
  ['search_files_content', 'filesystem.search'],
  ['search_files', 'filesystem.search'],
  ['shell', 'shell.execute'],
])

const RULES: FieldRules = {
  name: keep(),
  description: keep(),
  instruction: keep(),
  model: rule(
    {
      status: 'translated',
      to: 'model',
      reason: 'names of `models` with what they say; auto is the default model',
    },
    putModel,
  ),
  fallback: rule({ status: 'translated', to: 'model', reason: 'behind the model of the agent' }, putFallback),
  sub_agents: rule({ status: 'translated', to: 'agents' }, putChildren),
  handoffs: rule(
    { status: 'translated', to: 'agents', reason: 'they answer their caller, who goes on' },
    putChildren,
  ),
  toolsets: rule({ status: 'translated', to: 'mcpServers, runtimeTools, tools' }, putToolsets),
  max_iterations: move(['limits', 'maxTurns'], { reason: '0 is without a limit there' }),
  structured_output: rule({ status: 'translated', to: 'output' }, (value, { rewriter, from }) => {
    const schema = mappingOf(value)['schema']
    if (schema === undefined) return ignored('it has no schema')
    rewriter.put(['output'], { format: 'json', schema }, from)
    return undefined
  }),
  readonly: rule(
    { status: 'translated', to: 'tools', reason: 'true: neither writing nor the shell' },
    (value, { grant, from }) => {
      if (value === true) grant.refuse(['filesystem.write', 'shell.execute'], from)
      return undefined
    },
  ),
  budget: rule({ status: 'translated', to: 'limits.maxCost, limits.maxTokens, limits.timeout' }, putBudget),
  budgets: drop('a budget holds for an agent and everything below it; see `limits`'),
  permissions: rule({ status: 'translated', to: 'permissions' }, putRules),
  models: drop('read where an agent names one of them'),
  mcps: drop('read where a toolset refers to one of them'),
  default: keep(),
  instruction_file: drop('write the prompt into the file'),
  welcome_message: drop('a run begins with what its caller says'),
  add_date: drop('write it into the prompt'),
  add_environment_info: drop('write it into the prompt'),
  add_prompt_files: drop('write it into the prompt'),
  add_prompt_files_depth: drop('write it into the prompt'),
  add_description_parameter: drop('the arguments of a tool are those of its schema'),
  commands: drop('there are no commands'),
  use_commands: drop('there are no commands'),
  skills: drop('skills are found by folder here; see `skills`'),
  use_skills: drop('skills are found by folder here; see `skills`'),
  use_toolsets: dropLoudly('shared toolsets are not read; write them into the agent'),
  hooks: dropLoudly('its hooks are shell commands of docker-agent; write them as `toolHooks`'),
  safety: dropLoudly('see `permissions` and `toolPermission`'),
  redact_secrets: dropLoudly('write a hook that does it, and name it in `toolHooks`'),
  force_handoff: dropLoudly('an agent decides itself whom it calls'),
  harness: dropLoudly('the agent runs in this program'),
  code_mode_tools: drop('tools are called one by one'),
  cache: drop('answers are not kept'),
  max_consecutive_tool_calls: drop('see `limits`'),
  max_old_tool_call_tokens: drop('see `context`'),
  max_tool_result_tokens: drop('see `limits.maxToolResultBytes`'),
  num_history_items: drop('see `context`'),
  session_compaction: drop('see `context`'),
  compaction_threshold: drop('see `context`'),
  compaction_model: drop('see `context`'),
}

/** Keys of the file besides `agents`, with what becomes of them. Some are read by every agent. */
const FILE_KEYS: Readonly<Record<string, string>> = {
  version: 'it is the version of the format',
  metadata: 'it is for catalogues',
  providers: 'providers are those of troupe.json',
  rag: 'name an MCP server that searches',
  commands: 'there are no commands',
  skills: 'skills are found by folder here; see `skills`',
  toolsets: 'shared toolsets are not read; write them into the agent',
  runtime: 'see `defaults` of troupe.json',
  flavors: 'a file has one form',
  budgets: 'a budget holds for an agent and everything below it; see `limits`',
}
/** Keys of the file that count for each agent. */
const SHARED = ['models', 'mcps', 'permissions'] as const
/** Rules of the whole run: they count for the first agent, and so for those it calls. */
const OF_THE_RUN = ['budget'] as const

function putModel(value: Json, { rewriter, card, from }: FieldContext): FieldOutcome {
  if (!isText(value)) {
    rewriter.put(['model'], value, from)
    return undefined
  }
  const names = value.split(',').map((name) => name.trim())
  const found = names.map((name) => modelOf(name, card))
  const ids = found.flatMap(({ id }) => id ?? [])
  if (ids.length === 0) return ignored('the default model')
  const [only] = ids
  rewriter.put(['model'], ids.length === 1 && only !== undefined ? only : ids, from)
  const settings = found[0]?.settings ?? {}
  for (const [key, setting] of Object.entries(settings)) rewriter.put([key], setting, from)
  const more = Object.keys(settings)
  return translated(`model: ${ids.join(', ')}`, more.length === 0 ? undefined : `with its ${more.join(', ')}`)
}

/** A name of `models`, or `provider/name`. */
function modelOf(name: string, card: DialectInput): { readonly id?: string; readonly settings: JsonObject } {
  if (name === 'auto' || name === '') return { settings: {} }
  const model = getOwn(mappingOf(card.fields['models']), name)
  if (!isJsonObject(model)) return { id: name, settings: {} }
  const {
    provider,
    model: id,
    temperature,
    top_p: topP,
    max_tokens: maxOutputTokens,
    thinking_budget: effort,
  } = model
  const reasoning =
    isText(effort) && /^(?:none|minimal|low|medium|high|xhigh|max)$/u.test(effort) ? effort : undefined
  const settings = { temperature, topP, maxOutputTokens, reasoning }
  return {
    id: isText(provider) ? `${provider}/${textOf(id)}` : textOf(id),
    settings: Object.fromEntries(
      Object.entries(settings).filter(([, value]) => value !== undefined),
    ) as JsonObject,
  }
}

function putFallback(value: Json, { rewriter, card, from }: FieldContext): FieldOutcome {
  const names = textList(mappingOf(value)['models'] ?? [], from) ?? []
  const own = rewriter.get(['model'])
  if (names.length === 0 || !isText(own)) return ignored('it names no models')
  rewriter.remove(['model'])
  rewriter.put(['model'], [own, ...names.flatMap(({ text }) => modelOf(text, card).id ?? [])], from)
  return undefined
}

function putChildren(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  const names = textList(value, from)
  if (names === undefined) return ignored('it is no list of names')
  for (const { text, at } of names) {
    const isElsewhere = /[/:]/u.test(text) && !/\.ya?ml$/u.test(text)
    if (!isElsewhere) addToList(rewriter, { to: ['agents'], values: [text], from: at })
    else
      rewriter.tell({
        severity: 'warning',
        code: 'agent_unknown',
        message: `\`${dotted(at)}\`: "${text}" lies in a registry; agents are not loaded from there.`,
        at,
        fix: 'Save it as a file beside this one, and name the file.',
      })
  }
  return undefined
}

function putToolsets(value: Json, field: FieldContext): FieldOutcome {
  field.grant.limit()
  if (!Array.isArray(value)) return ignored('it is no list')
  for (const [index, entry] of (value as readonly Json[]).entries()) {
    const at = [...field.from, index]
    field.rewriter.note({ ...putToolset(mappingOf(entry), { field, at }), key: dotted(at) })
  }
  return undefined
}

function putToolset(
  toolset: JsonObject,
  place: { readonly field: FieldContext; readonly at: FieldPath },
): NonNullable<FieldOutcome> {
  const { field, at } = place
  if (toolset['type'] === 'mcp') return putMcp(toolset, place)
  const type = textOf(toolset['type'], 'none')
  const word = TOOLSETS.get(type)
  if (word === undefined) return { status: 'ignored', reason: `there are no toolsets of the type ${type}` }
  if (!('tools' in word)) return { status: 'ignored', reason: 'reason' in word ? (word.reason ?? '') : '' }
  const listed = textList(toolset['tools'] ?? [], at) ?? []
  const named = listed.flatMap(({ text }) => FILE_TOOLS.get(text) ?? [])
  const tools = listed.length === 0 ? word.tools : [...new Set(named)]
  field.grant.allow(tools, at)
  return { status: 'translated', to: tools.join(', ') || 'nothing' }
}

/** Keys of a toolset that are none of its server. */
const OF_TOOLSETS: ReadonlySet<string> = new Set([
  'type',
  'tools',
  'ref',
  'remote',
  'name',
  'instruction',
  'defer',
  'lifecycle',
  'config',
])

function putMcp(
  toolset: JsonObject,
  { field, at }: { readonly field: FieldContext; readonly at: FieldPath },
): NonNullable<FieldOutcome> {
  const shared = getOwn(mappingOf(field.card.fields['mcps']), textOf(toolset['ref']))
  const all: JsonObject = { ...mappingOf(shared), ...toolset }
  const { tools, ref, remote, name } = all
  const rest = Object.fromEntries(Object.entries(all).filter(([key]) => !OF_TOOLSETS.has(key)))
  const server = isJsonObject(remote)
    ? toRemote(remote)
    : isJsonObject(shared) || !isText(ref)
      ? rest
      : toGateway(ref)
  const id = nameOf({ name, ref, server }, String(at.at(-1)))
  putServer(id, server, { field, at })
  const listed = textList(tools ?? [], at)?.map(({ text }) => text) ?? []
  field.grant.allowServer(id, at, listed.length === 0 ? ['*'] : listed)
  return { status: 'translated', to: `mcpServers.${id}` }
}

function toRemote({ url, headers, transport_type: type }: JsonObject): JsonObject {
  return {
    type: type === 'sse' ? 'sse' : 'http',
    ...(url === undefined ? {} : { url }),
    ...(headers === undefined ? {} : { headers }),
  }
}

/** Servers of Docker's catalogue run behind its gateway. */
function toGateway(ref: string): JsonObject {
  return { command: 'docker', args: ['mcp', 'gateway', 'run', `--servers=${ref.replace(/^docker:/u, '')}`] }
}

function nameOf(
  {
    name,
    ref,
    server,
  }: { readonly name?: Json | undefined; readonly ref?: Json | undefined; readonly server: JsonObject },
  index: string,
): string {
  if (isText(name)) return name.replaceAll(/\s+/gu, '-')
  if (isText(ref)) return ref.replace(/^docker:/u, '')
  const command = server['command']
  return isText(command) ? (command.split(/[\\/]/u).at(-1) ?? command) : `mcp${index}`
}

function putBudget(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  const limits = { max_cost: 'maxCost', max_tokens: 'maxTokens', max_time: 'timeout' }
  for (const [key, to] of Object.entries(limits)) {
    const limit = mappingOf(value)[key]
    if (limit !== undefined) rewriter.put(['limits', to], limit, [...from, key])
  }
  return undefined
}

function putRules(value: Json, { rewriter, grant, from }: FieldContext): FieldOutcome {
  for (const permission of ['allow', 'ask', 'deny'] as const) {
    const at = [...from, permission]
    const rules = textList(mappingOf(value)[permission] ?? [], at) ?? []
    for (const { text, at: place } of rules) {
      const name = FILE_TOOLS.get(text.split(':', 1)[0] ?? '') ?? text.replace(/^mcp:/u, '')
      // a rule for some arguments cannot be told apart
      const isPartial = permission === 'allow' && text.includes(':')
      grant.settle([name])
      addToList(rewriter, {
        to: ['permissions', isPartial ? 'ask' : permission],
        values: [name],
        from: place,
      })
    }
  }
  return undefined
}

/** Every agent of the file. The first one, or the one named root, is the entry. */
function several(card: DialectInput): readonly Translation[] | undefined {
  const { agents } = card.fields
  if (!isJsonObject(agents)) return undefined
  const names = Object.keys(agents)
  const entry = names.includes('root') ? 'root' : names[0]
  return names.map((name) => {
    const isEntry = name === entry
    const keys = [...SHARED, ...(isEntry ? OF_THE_RUN : [])]
    const shared = Object.fromEntries(
      keys.flatMap((key) => (key in card.fields ? [[key, card.fields[key] ?? null]] : [])),
    )
    const fields = {
      name,
      ...shared,
      ...mappingOf(agents[name]),
      ...(isEntry && names.length > 1 ? { default: true } : {}),
    }
    const translation = dockerAgentDialect.translate({ ...card, fields })
    const report = isEntry ? [...translation.report, ...fileReport(card.fields)] : translation.report
    return { ...translation, report, at: ['agents', name] }
  })
}

function fileReport(fields: JsonObject): Translation['report'] {
  return Object.keys(fields).flatMap((key) => {
    if (key === 'agents' || key === 'dialect' || SHARED.some((known) => known === key) || key === 'budget')
      return []
    return [
      {
        key: `(file) ${key}`,
        status: 'ignored' as const,
        reason: getOwn(FILE_KEYS, key) ?? 'docker-agent has no such key',
      },
    ]
  })
}

const OWN_KEYS = ['instruction', 'model', 'toolsets', 'sub_agents']

/** Files of docker-agent: one YAML file for a team. */
export const dockerAgentDialect: ReturnType<typeof keyDialect> = keyDialect({
  name: 'docker-agent',
  product: 'docker-agent',
  places: ['*.yaml'],
  rules: RULES,
  tools: 'none',
  marks: ({ fields }) =>
    isJsonObject(fields['agents']) &&
    Object.values(fields['agents']).every(
      (agent) => isJsonObject(agent) && OWN_KEYS.some((key) => Object.hasOwn(agent, key)),
    ),
  fits: ({ fields, body }) => body === undefined && isJsonObject(fields['agents']),
  fileKeys: ['agents', ...SHARED, ...OF_THE_RUN, ...Object.keys(FILE_KEYS)],
  several,
})
