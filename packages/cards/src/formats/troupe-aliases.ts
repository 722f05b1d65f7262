import { parseDuration, type Json } from '@troupe/schema'
import { AGENT_KEYS, AGENT_KEY_TABLE, LIMIT_KEYS } from '@troupe/schema/agent-keys'
import { quotedPath, type FieldPath, type ProblemDraft } from '../card/problem.ts'
import type { CardFormat, RawCard } from './card-format.ts'

/** An alternative spelling of a key. */
export interface Alias {
  readonly to: FieldPath
  /** Converts the value to the unit of the key. */
  readonly convert?: (value: Json) => Json
}

/** Limits that are durations. */
export const DURATIONS: readonly string[] = LIMIT_KEYS.filter((key) => /timeout$/iu.test(key))

/** Not treated as limit aliases at the top level, because other tools use these keys differently. */
const ONLY_IN_LIMITS: ReadonlySet<string> = new Set(['timeout', 'maxTokens'])

const LIMIT_ALIASES: ReadonlyMap<string, Alias> = new Map([
  ...snakeCase(LIMIT_KEYS),
  ...secondsAliases(DURATIONS),
  ['maxToolTurns', { to: ['maxTurns'] }],
  ['max_tool_turns', { to: ['maxTurns'] }],
])

const SERVER_ALIASES: ReadonlyMap<string, Alias> = new Map([
  ...snakeCase(['requiresApproval', 'toolTimeout']),
  ...secondsAliases(['toolTimeout']),
])

/** Aliases of top-level keys: snake case, limits outside of `limits`, and spellings of other tools. */
export const TOP_ALIASES: ReadonlyMap<string, Alias> = new Map<string, Alias>([
  ...snakeCase(AGENT_KEYS),
  ...LIMIT_KEYS.filter((key) => !ONLY_IN_LIMITS.has(key)).map((key): [string, Alias] => [
    key,
    { to: ['limits', key] },
  ]),
  ...[...LIMIT_ALIASES]
    .filter(([key]) => key !== 'max_tokens')
    .map(([key, alias]): [string, Alias] => [key, { ...alias, to: ['limits', ...alias.to] }]),
  ['max_display_instances', { to: ['display', 'maxInstances'] }],
  ['maxDisplayInstances', { to: ['display', 'maxInstances'] }],
  ['tool_input_schema', { to: ['input', 'schema'] }],
  ['toolInputSchema', { to: ['input', 'schema'] }],
  ['tool_only', { to: ['hidden'] }],
  ['models', { to: ['model'] }],
])

/** Returns the Troupe key that a key is or stands for; `undefined` for any other key. */
export function ownKeyOf(key: string): string | undefined {
  return AGENT_KEYS.includes(key) ? key : TOP_ALIASES.get(key)?.to[0]?.toString()
}

/** Aliases inside mappings, by the path of the mapping; `*` is any key. */
export const NESTED_ALIASES: ReadonlyMap<string, ReadonlyMap<string, Alias>> = new Map([
  ['limits', LIMIT_ALIASES],
  ['context', new Map(snakeCase(['keepTurns']))],
  ['display', new Map(snakeCase(['maxInstances']))],
  [
    'loopHooks',
    new Map(
      snakeCase([
        'beforeModel',
        'afterModel',
        'beforeTools',
        'afterTools',
        'beforeTurn',
        'afterTurn',
        'onEnd',
      ]),
    ),
  ],
  ['mcpServers.*', SERVER_ALIASES],
])

/** Keys of the `request_params` mapping. */
export const REQUEST_PARAMS: ReadonlyMap<string, Alias> = new Map<string, Alias>([
  ['temperature', { to: ['temperature'] }],
  ['topP', { to: ['topP'] }],
  ['top_p', { to: ['topP'] }],
  ['maxTokens', { to: ['maxOutputTokens'] }],
  ['max_tokens', { to: ['maxOutputTokens'] }],
  ['stopSequences', { to: ['stopSequences'] }],
  ['stop_sequences', { to: ['stopSequences'] }],
  ['max_iterations', { to: ['limits', 'maxTurns'] }],
  ['parallel_tool_calls', { to: ['limits', 'parallelToolCalls'] }],
])

/** Keys that are accepted but have no effect, with the reason. */
export const IGNORED: ReadonlyMap<string, string> = new Map([
  ['$schema', 'only editors use it'],
  ['format', 'it only selects the card format'],
  ['plan_type', 'an orchestrator plans step by step'],
  ['schema_version', 'card schemas have no versions'],
  ['use_history', 'the history of an agent depends on the session of its caller (see `historyMode`)'],
])

const NOT_SENT = 'this setting is not sent to providers'
const OF_PROGRAMS = 'only programs that make the request use it'

/** Keys of `request_params` that have no effect in Troupe. */
export const IGNORED_PARAMS: ReadonlyMap<string, string> = new Map([
  ...['top_k', 'min_p', 'presence_penalty', 'frequency_penalty', 'repetition_penalty', 'service_tier'].map(
    (key) => [key, NOT_SENT] as const,
  ),
  ...[
    'task',
    'meta',
    'metadata',
    'mcp_metadata',
    'batch_context',
    'tool_execution_handler',
    'modelPreferences',
  ].map((key) => [key, OF_PROGRAMS] as const),
  ['tool_result_mode', 'the model always reads the results of its tools and answers'],
  ['emit_loop_progress', 'see `--events`'],
  ['streaming_timeout', 'see `limits.llmTimeout`'],
  ['response_format', 'see `output`'],
  ['structured_schema', 'see `output.schema`'],
  ['structured_tool_policy', 'see `output`'],
  ['template_vars', 'placeholders in prompts are not replaced'],
  ['systemPrompt', 'see `instruction`'],
  ['model', 'see `model`'],
])

function snakeCase(keys: readonly string[]): readonly (readonly [string, Alias])[] {
  return keys
    .map((key) => [toSnakeCase(key), { to: [key] }] as const)
    .filter(([alias, { to }]) => alias !== to[0])
}

function secondsAliases(keys: readonly string[]): readonly (readonly [string, Alias])[] {
  return keys.flatMap((key) => {
    const alias: Alias = { to: [key], convert: secondsToMilliseconds }
    return [
      [`${toSnakeCase(key)}_sec`, alias],
      [`${key}Sec`, alias],
    ] as const
  })
}

/** Converts seconds to ms. Text with a unit stays as it is. */
function secondsToMilliseconds(value: Json): Json {
  if (typeof value === 'number') return value * 1000
  const bare =
    typeof value === 'string' && /^\s*[\d.]+\s*$/u.test(value) ? parseDuration(`${value.trim()}s`) : undefined
  return bare ?? value
}

function toSnakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)
}

/** Returns true if ignoring a Troupe key gives the agent no further abilities. */
export function isSafeToIgnore(key: string): boolean {
  return AGENT_KEY_TABLE.get(key)?.safeToIgnore === true
}

/**
 * Returns the problem of a Troupe key that the format of the card lacks: an error, unless the key is safe to
 * ignore.
 */
export function ignoredOwnKeyProblem(
  path: FieldPath,
  own: string,
  { product, near }: { readonly product: string; readonly near?: string | undefined },
): ProblemDraft {
  const other = near === undefined ? '' : `, or \`${near}\`, the key of ${product}`
  return {
    severity: isSafeToIgnore(own) ? 'warning' : 'error',
    code: 'card_key_ignored',
    message: `${quotedPath(path)} is a key of Troupe cards, but this file is read as a ${product} card, which does not have this key.`,
    at: path,
    fix: `Write \`dialect: troupe\` to read the file as a Troupe card${other}, or remove the key.`,
  }
}

/**
 * Returns the problems of Troupe keys at the top level of a file with several agents, where they would have
 * no effect.
 */
export function ignoredFileKeyProblems(cardFormat: CardFormat, card: RawCard): readonly ProblemDraft[] {
  return Object.entries(card.fields).flatMap(([key, value]) => {
    const own = ownKeyOf(key)
    const isRead =
      own === undefined || value === null || cardFormat.hasAllKeys({ ...card, fields: { [key]: value } })
    return isRead || isSafeToIgnore(own) ? [] : [ignoredOwnKeyProblem([key], own, cardFormat)]
  })
}
