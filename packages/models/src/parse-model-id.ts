import { MODEL_ALIASES } from '@troupe/schema'
import { EMBEDDED_PROVIDERS, PROVIDER_NAMES } from './provider-table.ts'
import { parseSuffix, type SuffixSettings } from './parse-suffix.ts'

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
