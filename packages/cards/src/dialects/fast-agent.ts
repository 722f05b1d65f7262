import { isJsonObject, REASONING_LEVELS, type Json } from '@troupe/schema'
import { addToList } from './add-to-list.ts'
import { drop, dropLoudly, ignored, rule, translated } from './field-rule.ts'
import type { FieldContext, FieldOutcome, FieldRules } from './field-rule.ts'
import { putIncluded } from './include-files.ts'
import { keyDialect } from './key-dialect.ts'
import { isText, mappingOf, textOf } from './json-shapes.ts'
import { claudeModel, putModels, type ModelWord } from './model-words.ts'
import { putServer } from './server-words.ts'
import { troupeDialect } from './troupe.ts'

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

/** `provider.name`, `name.low`, `name?reasoning=low`, and the short names of Claude. */
function readModel(name: string, words: ReadonlySet<string>): ModelWord {
  if (name.startsWith('$')) return { default: 'the default model: names of its configuration are not read' }
  const [bare = name, query] = name.split('?', 2)
  const level = LEVEL.exec(bare)?.groups
  const plain = level?.['name'] ?? bare
  const claude = words.has(plain) ? { id: plain } : claudeModel(plain)
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

const RULES: FieldRules = {
  type: rule(
    {
      status: 'honoured',
      reason: 'iterative_planner is orchestrator, smart is agent; MAKER and a2a are errors',
    },
    putType,
  ),
  model: rule(
    { status: 'honoured', reason: 'provider.name is provider/name, name.low is name?reasoning=low' },
    (value, field) => putModels(value, readModel, field),
  ),
  shell: rule({ status: 'translated', to: 'runtimeTools: [shell]' }, (value, { rewriter, from }) => {
    if (value !== true) return ignored('it is off')
    addToList(rewriter, { to: ['runtimeTools'], values: ['shell'], from })
    addToList(rewriter, { to: ['permissions', 'ask'], values: ['shell.execute'], from })
    return translated('runtimeTools: [shell]', 'each command asks a person')
  }),
  human_input: rule({ status: 'translated', to: 'runtimeTools: [human]' }, (value, { rewriter, from }) => {
    if (value !== true) return ignored('it is off')
    addToList(rewriter, { to: ['runtimeTools'], values: ['human'], from })
    return undefined
  }),
  skills: rule({ status: 'honoured', reason: 'one folder may be text' }, (value, { rewriter, from }) => {
    rewriter.put(['skills'], isText(value) ? [value] : value, from)
    return undefined
  }),
  mcp_connect: rule({ status: 'translated', to: 'mcpServers' }, putConnections),
  tool_hooks: rule({ status: 'translated', to: 'toolHooks' }, (value, field) => {
    if (isJsonObject(value))
      return dropLoudly('hooks by phase are not around a call; write them as a list').apply?.(value, field)
    field.rewriter.put(['toolHooks'], value, field.from)
    return undefined
  }),
  instruction: rule(
    { status: 'honoured', reason: '`{{file:…}}` is included, below the folder of the card' },
    (value, { rewriter, card, from }) => {
      const text = isText(value) ? putIncluded(value, INCLUDE, { rewriter, card, at: from }).text : value
      rewriter.put(['instruction'], text, from)
      return undefined
    },
  ),
  worker: drop('MAKER is not there'),
  k: drop('MAKER is not there'),
  max_samples: drop('MAKER is not there'),
  match_strategy: drop('MAKER is not there'),
  red_flag_max_length: drop('MAKER is not there'),
  url: drop('agents that run elsewhere (A2A) cannot be called by this version'),
  transport: drop('agents that run elsewhere (A2A) cannot be called by this version'),
  auth: drop('agents that run elsewhere (A2A) cannot be called by this version'),
  headers: drop('agents that run elsewhere (A2A) cannot be called by this version'),
  resources: drop('agents get the tools of servers, not their resources'),
  prompts: drop('agents get the tools of servers, not their prompts'),
  api_key: dropLoudly('keys come from the environment or from `providers` of troupe.json'),
  messages: drop('a run begins with what its caller says'),
  cwd: dropLoudly('an agent works in the folder that the run was started in'),
  lifecycle_hooks: dropLoudly('see `loopHooks`'),
  history_source: drop('see `historyMode`'),
  history_merge_target: drop('see `historyMode`'),
  trim_tool_history: drop('see `context`'),
  save_trajectory: drop('see `--record` and `store`'),
  commands: drop('there are no commands'),
  variables: drop('placeholders in prompts are not replaced'),
  subagents: drop('children are named in `agents`'),
  subagent_model: drop('each agent names its own model'),
  harness_tools: drop('see `runtimeTools`'),
}

const UNSUPPORTED: ReadonlyMap<Json, string> = new Map<Json, string>([
  ['maker', 'voting over samples is not there; run the worker itself'],
  ['a2a', 'agents that run elsewhere (A2A) cannot be called by this version'],
])

function putType(value: Json, { rewriter, from }: FieldContext): FieldOutcome {
  const type = isText(value) ? value.trim().toLowerCase() : value
  const reason = UNSUPPORTED.get(type)
  if (reason !== undefined) {
    rewriter.tell({ code: 'card_unsupported', message: `\`type: ${textOf(value)}\`: ${reason}.`, at: from })
    return ignored(reason)
  }
  const renamed = type === 'iterative_planner' ? 'orchestrator' : type === 'smart' ? 'agent' : type
  rewriter.put(['type'], renamed, from)
  return renamed === value ? undefined : translated(`type: ${textOf(renamed)}`)
}

/** Servers that a card brings itself: an address, a package, or a command line. */
function putConnections(value: Json, field: FieldContext): FieldOutcome {
  if (!Array.isArray(value)) return ignored('it is no list')
  for (const [index, entry] of (value as readonly Json[]).entries()) {
    const at = [...field.from, index]
    const { target, name, headers } = isText(entry) ? { target: entry } : mappingOf(entry)
    if (!isText(target)) continue
    const server = toServer(target)
    const id = isText(name) ? name : serverName(target)
    putServer(id, headers === undefined ? server : { ...server, headers }, {
      field: { ...field, grant: { ...field.grant, addServer: () => undefined } },
      at,
    })
  }
  return undefined
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

/** A first line `---SYSTEM` only opens the prompt; included files are put in. */
function readBody(body: string, { rewriter, card }: FieldContext): string {
  const text = body.replace(/^\s*---SYSTEM[ \t]*\n/u, '')
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

/** AgentCards of fast-agent: our keys in snake case, and some of its own. */
export const fastAgentDialect: ReturnType<typeof keyDialect> = keyDialect({
  name: 'fast-agent',
  product: 'fast-agent',
  places: ['.fast-agent/agent-cards/*.md', '.fast-agent/tool-cards/*.md'],
  folder: /(?:^|\/)\.fast-agent\/(?:agent|tool)[-_]cards\//u,
  rules: RULES,
  base: troupeDialect,
  tools: 'none',
  fits: ({ fields }) =>
    Object.keys(fields).some((key) => Object.hasOwn(RULES, key) && !troupeDialect.isKey(key)) ||
    isOwnType(fields['type']),
  readBody,
})

function isOwnType(type: Json | undefined): boolean {
  return isText(type) && /^(?:iterative_planner|smart|maker|a2a)$/iu.test(type)
}
