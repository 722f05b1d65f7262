import type { Json, JsonObject } from '@troupe/schema'
import { REASONING_LEVELS } from '@troupe/schema/agent-keys'
import {
  addToList,
  modelOfAlias,
  dottedPath,
  type FieldContext,
  type FieldOutcome,
  type ModelMapping,
  type RawCard,
  putModels,
  troupeFormat,
} from '@troupe/cards/formats'
import {
  drop,
  dropWithWarning,
  ignored,
  rule,
  translated,
  type FieldRules,
  isText,
  mappingOf,
  textOf,
} from './rules/field-rule.ts'
import { functionTools, toolHooks } from './fast-agent-code.ts'
import { includeFiles, putIncluded } from './rules/include-files.ts'
import { createCardFormat } from './rules/create-card-format.ts'
import { putServer } from './rules/server-keys.ts'
import { MISSING_TOOLS } from './rules/tool-mapping.ts'

const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['openai', 'openai'],
  ['responses', 'openai'],
  ['anthropic', 'anthropic'],
  ['google', 'google'],
  ['openrouter', 'openrouter'],
  ['generic', 'ollama'],
  ['ollama', 'ollama'],
])
const LEVEL = /^(?<name>.+)\.(?<level>none|minimal|low|medium|high|xhigh|max)$/u
const INCLUDE = /\{\{file:(?<path>[^}\n]+)\}\}/gu
/** An include whose file may be missing. */
const SILENT_INCLUDE = /\{\{file_silent:(?<path>[^}\n]+)\}\}/gu

/** Reads `provider.name`, `name.low`, `name?reasoning=low`, and the short names of Claude. */
function readModel(name: string, configuredNames: ReadonlySet<string>): ModelMapping {
  if (name.startsWith('$'))
    return { default: 'the default model; names from the product configuration are not read' }
  const [bare = name, query] = name.split('?', 2)
  const level = LEVEL.exec(bare)?.groups
  const plain = level?.['name'] ?? bare
  const claude = configuredNames.has(plain) ? { id: plain } : modelOfAlias(plain)
  if (claude !== undefined && 'default' in claude) return claude
  const id = claude?.id ?? withProvider(plain)
  const reasoning = level?.['level'] ?? new URLSearchParams(query ?? '').get('reasoning')
  const isLevel = REASONING_LEVELS.some((known) => known === reasoning)
  return { id: isLevel && reasoning !== null ? `${id}?reasoning=${reasoning}` : id }
}

function withProvider(name: string): string {
  const dot = name.indexOf('.')
  const provider =
    name.includes('/') && !name.startsWith('openrouter.')
      ? undefined
      : PROVIDERS.get(name.slice(0, Math.max(dot, 0)))
  return provider === undefined ? name : `${provider}/${name.slice(dot + 1)}`
}

const REMOTE = MISSING_TOOLS.remote.reason

const RULES: FieldRules = {
  type: rule(
    {
      status: 'honoured',
      reason: 'iterative_planner becomes orchestrator, smart becomes agent; MAKER and a2a are errors',
    },
    putType,
  ),
  model: rule(
    {
      status: 'honoured',
      reason: 'provider.name becomes provider/name, name.low becomes name?reasoning=low',
    },
    (value, field) => putModels(value, { to: ['model'], read: readModel }, field),
  ),
  shell: rule({ status: 'translated', to: 'runtimeTools: [shell]' }, (value, { rewriter, from }) => {
    if (value !== true) return ignored('it is disabled')
    addToList(rewriter, { to: ['runtimeTools'], values: ['shell'], from })
    addToList(rewriter, { to: ['permissions', 'ask'], values: ['shell.execute'], from })
    return translated('runtimeTools: [shell]', 'each command needs approval')
  }),
  human_input: rule({ status: 'translated', to: 'runtimeTools: [human]' }, (value, { rewriter, from }) => {
    if (value !== true) return ignored('it is disabled')
    addToList(rewriter, { to: ['runtimeTools'], values: ['human'], from })
    return undefined
  }),
  skills: rule(
    { status: 'honoured', reason: 'a single folder may be a string' },
    (value, { rewriter, from }) => {
      rewriter.put(['skills'], isText(value) ? [value] : value, from)
      return undefined
    },
  ),
  mcp_connect: rule({ status: 'translated', to: 'mcpServers' }, putConnections),
  function_tools: functionTools,
  tool_hooks: toolHooks,
  instruction: rule(
    { status: 'honoured', reason: '`{{file:…}}` includes a file below the folder of the card' },
    (value, { rewriter, card, from }) => {
      const text = isText(value) ? putIncluded(value, INCLUDE, { rewriter, card, at: from }).text : value
      rewriter.put(['instruction'], text, from)
      return undefined
    },
  ),
  worker: drop('Troupe has no MAKER'),
  k: drop('Troupe has no MAKER'),
  max_samples: drop('Troupe has no MAKER'),
  match_strategy: drop('Troupe has no MAKER'),
  red_flag_max_length: drop('Troupe has no MAKER'),
  url: drop(REMOTE),
  transport: drop(REMOTE),
  auth: drop(REMOTE),
  headers: drop(REMOTE),
  relative_card_path: drop(REMOTE),
  streaming: drop(REMOTE),
  polling: drop(REMOTE),
  accepted_output_modes: drop(REMOTE),
  request_timeout_seconds: drop(REMOTE),
  resources: drop('agents can use the tools of servers, not their resources'),
  prompts: drop('agents can use the tools of servers, not their prompts'),
  api_key: dropWithWarning('API keys come from the environment or from `providers` in troupe.json'),
  messages: drop('a run starts with the input of its caller'),
  cwd: dropWithWarning(MISSING_TOOLS.place.reason),
  lifecycle_hooks: dropWithWarning('see `loopHooks`'),
  history_source: drop('see `historyMode`'),
  history_merge_target: drop('see `historyMode`'),
  trim_tool_history: drop('see `context`'),
  save_trajectory: drop('see `--record` and `store`'),
  commands: drop('Troupe has no commands'),
  variables: drop('placeholders in prompts are not filled'),
  subagents: drop('children are listed in `agents`'),
  subagent_model: drop('each agent sets its own model'),
  harness_tools: drop('see `runtimeTools`'),
}

const UNSUPPORTED: ReadonlyMap<Json, string> = new Map<Json, string>([
  ['maker', 'Troupe has no voting over samples; run the worker directly'],
  ['a2a', REMOTE],
])

function putType(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  const type = isText(value) ? value.trim().toLowerCase() : value
  const reason = UNSUPPORTED.get(type)
  if (reason !== undefined) {
    rewriter.addProblem({
      code: 'card_unsupported',
      message: `\`type: ${textOf(value)}\`: ${reason}.`,
      at: from,
    })
    return ignored(reason)
  }
  const renamed = type === 'iterative_planner' ? 'orchestrator' : type === 'smart' ? 'agent' : type
  rewriter.put(['type'], renamed, from)
  return renamed === value ? undefined : translated(`type: ${textOf(renamed)}`)
}

/** Adds servers that the card defines itself: a URL, a package, or a command line. */
function putConnections(value: Json, field: FieldContext): FieldOutcome {
  if (!Array.isArray(value)) return ignored('it is not a list')
  for (const [index, entry] of (value as readonly Json[]).entries()) {
    const at = [...field.from, index]
    const { target, name, ...rest } = isText(entry) ? { target: entry } : mappingOf(entry)
    if (!isText(target)) {
      field.rewriter.note({
        key: dottedPath(at),
        status: 'ignored',
        reason: 'it has neither a URL nor a command',
      })
      continue
    }
    const id = isText(name) ? name : serverName(target)
    putServer(
      id,
      { ...toServer(target), ...headersOf(rest) },
      {
        field: { ...field, grant: { ...field.grant, addServer: () => undefined } },
        at,
      },
    )
  }
  return undefined
}

/** Returns the headers of a server; an access token becomes its `Authorization` header. */
function headersOf({ headers, access_token: token }: JsonObject): JsonObject {
  if (isText(token)) return { headers: { ...mappingOf(headers), Authorization: `Bearer ${token}` } }
  return headers === undefined ? {} : { headers }
}

function toServer(target: string): { readonly [key: string]: Json } {
  if (/^https?:\/\//iu.test(target)) return { url: target }
  if (target.startsWith('@')) return { command: 'npx', args: ['-y', target] }
  const [command = target, ...args] = target.split(/\s+/u)
  return { command, args }
}

function serverName(target: string): string {
  if (/^https?:\/\//iu.test(target) && URL.canParse(target))
    return new URL(target).hostname.replaceAll('.', '-')
  const word = target.split(/\s+/u).findLast((part) => !part.startsWith('-')) ?? target
  return word
    .replace(/^@[^/]*\//u, '')
    .replace(/@[^@]*$/u, '')
    .replaceAll(/[^\w-]+/gu, '-')
}

/** Removes the `---SYSTEM` line that opens a prompt, and inserts included files. */
function readBody(body: string, field: FieldContext): string {
  const { rewriter, card } = field
  const text = withSilentIncludes(body.replace(/^\s*---SYSTEM[ \t]*\n/u, ''), field)
  if (!text.includes('{{file:')) return text
  const read = putIncluded(text, INCLUDE, { rewriter, card, at: [] })
  if (read.included.length > 0)
    rewriter.note({
      key: '(prompt) {{file:…}}',
      status: 'translated',
      to: 'instruction',
      reason: `with ${read.included.join(', ')}`,
    })
  return read.text
}

function withSilentIncludes(text: string, { rewriter, card }: FieldContext): string {
  if (!text.includes('{{file_silent:')) return text
  const { text: put, included } = includeFiles(text, card, SILENT_INCLUDE)
  const reason = included.length === 0 ? 'none of them exists' : `with ${included.join(', ')}`
  rewriter.note({ key: '(prompt) {{file_silent:…}}', status: 'translated', to: 'instruction', reason })
  return put.replaceAll(SILENT_INCLUDE, '')
}

/** Adds the prompt that fast-agent gives to agents without one. */
function putDefaultPrompt({ rewriter, card }: FieldContext): void {
  const { type = 'agent', instruction } = card.fields
  const isAgent = isText(type) && /^(?:agent|smart)$/iu.test(type.trim())
  if (!isAgent || instruction !== undefined || (card.body ?? '').trim() !== '') return
  rewriter.put(['instruction'], 'You are a helpful AI agent.', ['instruction'])
  rewriter.note({
    key: '(no prompt)',
    status: 'translated',
    to: 'instruction',
    reason: 'the product adds this prompt to an agent without one',
  })
}

/** Card format of fast-agent AgentCards: Troupe's keys in snake case, and some of its own. */
export const fastAgentFormat: ReturnType<typeof createCardFormat> = createCardFormat({
  name: 'fast-agent',
  product: 'fast-agent',
  pathPatterns: ['.fast-agent/agent-cards/*.md', '.fast-agent/tool-cards/*.md'],
  folder: /(?:^|\/)\.fast-agent\/(?:agent|tool)[-_]cards\//u,
  rules: RULES,
  base: troupeFormat,
  usesOwnValues,
  tools: 'none',
  acceptsValues: ({ fields }) =>
    Object.keys(fields).some((key) => Object.hasOwn(RULES, key) && !troupeFormat.isKey(key)) ||
    isOwnType(fields['type']) ||
    isFastAgentModel(fields['model']),
  afterKeys: putDefaultPrompt,
  readBody,
})

function isOwnType(type: Json | undefined): boolean {
  return isText(type) && /^(?:iterative_planner|smart|maker|a2a)$/iu.test(type)
}

/**
 * Model names of fast-agent: from its configuration (`$system.fast`), with a provider (`openai.gpt-5`), or
 * with an effort (`gpt-5.low`).
 */
const FAST_AGENT =
  /^\$\w|^(?:openai|responses|anthropic|google|openrouter|generic)\.\w|[a-z\d]\.(?:minimal|low|medium|high)$/u

/** Returns true for a model name that only fast-agent has. */
function isFastAgentModel(model: Json | undefined): boolean {
  return typeof model === 'string' && FAST_AGENT.test(model)
}

/** Returns true for a model of fast-agent that the configuration does not define. */
function usesOwnValues({ fields: { model }, modelWords }: RawCard): boolean {
  return isFastAgentModel(model) && !isConfigured(model, modelWords)
}

function isConfigured(model: unknown, names: ReadonlySet<string> | undefined): boolean {
  return typeof model === 'string' && names?.has(model.split('?', 1)[0] ?? '') === true
}
