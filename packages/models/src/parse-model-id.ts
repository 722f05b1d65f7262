import { MODEL_ALIASES } from '@troupe/schema'
import { EMBEDDED_PROVIDERS, PROVIDER_NAMES } from './provider-table.ts'
import { parseSuffix, type SuffixSettings } from './parse-suffix.ts'

/** A model id in its parts. `provider` is what stands there, known or not; none: a bare name nobody is known for. */
export interface ModelId {
  readonly provider?: string
  readonly name: string
  /** From the suffix, such as `?reasoning=low`. They beat the settings of the agent. */
  readonly settings?: SuffixSettings
  /** What is wrong with the suffix. */
  readonly problem?: string
}

/** How the names of well-known models start. */
const WELL_KNOWN: readonly (readonly [RegExp, string])[] = [
  [/^(?:chatgpt|gpt)-/u, 'openai'],
  [/^o\d(?:-|$)/u, 'openai'],
  [/^claude-/u, 'anthropic'],
  [/^gemini-/u, 'google'],
]

/**
 * Splits `provider/name`, `provider:name`, a bare well-known name or a short name such as `sonnet` (docs/interface.md §3): at the first `/`, else at the
 * first `:` when a known provider stands before it, so that `llama3:8b` stays a name. Never throws; pure.
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
