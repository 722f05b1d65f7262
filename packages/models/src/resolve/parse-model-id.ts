import type { Reasoning } from '@troupe/schema'
import { MODEL_ALIASES, REASONING_LEVELS } from '@troupe/schema/agent-keys'
import { EMBEDDED_PROVIDERS, PROVIDER_NAMES } from '../providers/provider-table.ts'
import type { AnswerForm } from '../structured/answer-form.ts'

/** Parts of a model id. `provider` may be unknown; `undefined` for a bare name that is not well known. */
export interface ModelId {
  readonly provider?: string
  readonly name: string
  /** Settings from a suffix such as `?reasoning=low`. They take precedence over the agent's settings. */
  readonly settings?: SuffixSettings
  /** Problem with the suffix. */
  readonly problem?: string
}

/** Patterns of well-known model names with their provider. */
const WELL_KNOWN: readonly (readonly [RegExp, string])[] = [
  [/^(?:chatgpt|gpt)-/u, 'openai'],
  [/^o\d(?:-|$)/u, 'openai'],
  [/^claude-/u, 'anthropic'],
  [/^gemini-/u, 'google'],
]

/**
 * Parses `provider/name`, `provider:name`, a well-known name or an alias such as `sonnet`. Splits at the
 * first `/`, else at the first `:` after a known provider, so that `llama3:8b` remains a name. Never throws.
 */
export function parseModelId(id: string): ModelId {
  const text = id.trim()
  const { provider, name } = split(text)
  if (provider !== undefined && EMBEDDED_PROVIDERS.includes(provider)) return { provider, name }
  const mark = name.indexOf('?')
  const bare = mark === -1 ? name : name.slice(0, mark)
  const alias = provider === undefined ? MODEL_ALIASES.get(bare) : undefined
  const meant =
    alias === undefined ? { provider: provider ?? wellKnownProvider(bare), name: bare } : split(alias)
  return {
    ...(meant.provider === undefined ? {} : { provider: meant.provider }),
    name: meant.name,
    ...(mark === -1 ? {} : parseSuffix(name.slice(mark + 1))),
  }
}

function split(text: string): { readonly provider?: string; readonly name: string } {
  if (EMBEDDED_PROVIDERS.includes(text)) return { provider: text, name: '' }
  const slash = text.indexOf('/')
  const before = slash === -1 ? text : text.slice(0, slash)
  const colon = before.indexOf(':')
  const isColonForm = colon !== -1 && PROVIDER_NAMES.includes(before.slice(0, colon))
  const at = isColonForm ? colon : slash
  return at === -1 ? { name: text } : { provider: text.slice(0, at), name: text.slice(at + 1) }
}

function wellKnownProvider(name: string): string | undefined {
  return WELL_KNOWN.find(([pattern]) => pattern.test(name))?.[1]
}

/** Settings in the suffix of a model id, such as `?reasoning=low&structured=tool`. */
interface SuffixSettings {
  readonly reasoning?: Reasoning
  readonly structured?: AnswerForm
}

/** Answer forms by our names and those of fast-agent. */
const FORMS: ReadonlyMap<string, AnswerForm> = new Map([
  ['native', 'native'],
  ['json', 'native'],
  ['tool', 'tool'],
  ['tool_use', 'tool'],
])
const KEYS = ['reasoning', 'structured'] as const

/** Parses the text after the `?`. Returns a problem in words if it is invalid. */
function parseSuffix(suffix: string): {
  readonly settings?: SuffixSettings
  readonly problem?: string
} {
  let settings: SuffixSettings = {}
  for (const [key, value] of new URLSearchParams(suffix)) {
    const given = readSetting(key, value)
    if (typeof given === 'string') return { problem: given }
    settings = { ...settings, ...given }
  }
  return Object.keys(settings).length === 0 ? { problem: 'no setting follows the ?' } : { settings }
}

function readSetting(key: string, value: string): SuffixSettings | string {
  if (key === 'reasoning') return readReasoning(value)
  if (key === 'structured') return readForm(value)
  return `unknown setting "${key}"; the settings are ${KEYS.join(' and ')}`
}

function readReasoning(value: string): SuffixSettings | string {
  if (/^\d{1,7}$/u.test(value)) return { reasoning: Number(value) }
  const reasoning = REASONING_LEVELS.find((level) => level === value)
  return reasoning === undefined
    ? `reasoning "${value}" is neither one of ${REASONING_LEVELS.join(', ')} nor a number of tokens`
    : { reasoning }
}

function readForm(value: string): SuffixSettings | string {
  const structured = FORMS.get(value)
  return structured === undefined ? `structured "${value}" is neither native nor tool` : { structured }
}
