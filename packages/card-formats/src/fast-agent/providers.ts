import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { FieldContext, FieldRow } from '@troupe/cards/formats'
import { isText, mappingOf, textOf } from '../rules/field-rule.ts'
import { projectOf, SETTINGS_WITHOUT_FILE, warnOfSetting } from './project.ts'

/** A provider of fast-agent in Troupe's terms. */
interface ProviderMapping {
  /** The provider of Troupe. */
  readonly id: string
  /** Base URL of a provider that Troupe does not have built in. */
  readonly baseURL?: string
  /** Variable of the key of such a provider. */
  readonly keyVariable?: string
  readonly api?: 'chat' | 'responses'
  /** npm package with the adapter, which the user installs. */
  readonly package?: string
}

const PROVIDERS: ReadonlyMap<string, ProviderMapping> = new Map([
  ['openai', { id: 'openai', api: 'chat' }],
  ['responses', { id: 'openai', api: 'responses' }],
  ['anthropic', { id: 'anthropic' }],
  ['google', { id: 'google' }],
  ['openrouter', { id: 'openrouter' }],
  ['ollama', { id: 'ollama' }],
  ['generic', { id: 'generic', api: 'chat' }],
  ['groq', other('groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY')],
  ['deepseek', other('deepseek', 'https://api.deepseek.com', 'DEEPSEEK_API_KEY')],
  ['xai', other('xai', 'https://api.x.ai/v1', 'XAI_API_KEY')],
  ['hf', other('hf', 'https://router.huggingface.co/v1', 'HF_TOKEN')],
  ['huggingface', other('hf', 'https://router.huggingface.co/v1', 'HF_TOKEN')],
  ['aliyun', other('aliyun', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'ALIYUN_API_KEY')],
  ['moonshot', other('moonshot', 'https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY')],
  ['azure', { id: 'azure', api: 'chat', package: '@ai-sdk/azure' }],
  ['bedrock', { id: 'bedrock', package: '@ai-sdk/amazon-bedrock' }],
  ['anthropic-vertex', { id: 'anthropic-vertex' }],
  ['codexresponses', { id: 'openai', api: 'responses' }],
  ['openresponses', { id: 'openresponses', api: 'responses' }],
  ['tensorzero', { id: 'tensorzero', api: 'chat' }],
  ['zai', { id: 'zai', api: 'chat' }],
  ['metaai', { id: 'metaai', api: 'chat' }],
])

function other(id: string, baseURL: string, keyVariable: string): ProviderMapping {
  return { id, baseURL, keyVariable, api: 'chat' }
}

const BUILT_IN: ReadonlySet<string> = new Set([
  'openai',
  'anthropic',
  'google',
  'openrouter',
  'ollama',
  'generic',
])

function requirementOf({ id, baseURL, package: name }: ProviderMapping): { readonly reason?: string } {
  if (name !== undefined) return { reason: `with the package \`${name}\`` }
  return baseURL === undefined && !BUILT_IN.has(id) ? { reason: 'only with `base_url`' } : {}
}

/** Keys of a provider with their equivalents. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ['api_key', 'providers.N.apiKey'],
  ['base_url', 'providers.N.baseURL'],
  ['default_headers', 'providers.N.headers'],
  ['reasoning', 'reasoning'],
  ['reasoning_effort', 'reasoning'],
])
const DEPRECATED = 'fast-agent does not read it either'
/** Keys of a provider without which the agent does the same, with the reason. */
const WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ['default_model', 'cards name a model, not only a provider'],
  ['cache_mode', 'the provider decides how prompts are cached'],
  ['cache_ttl', 'the provider decides how prompts are cached'],
  ['transport', 'Troupe chooses how to connect'],
  ['service_tier', 'it only affects speed and price'],
  ['thinking_enabled', DEPRECATED],
  ['thinking_budget_tokens', DEPRECATED],
])
const OTHER_KEY = 'Troupe does not send this setting'

/** Rows of the documentation for the section of each provider, and for its keys. */
export const PROVIDER_ROWS: readonly FieldRow[] = [
  ...[...PROVIDERS].map(([key, provider]) => ({
    key,
    status: 'translated' as const,
    to: `providers.${provider.id}`,
    ...requirementOf(provider),
  })),
  ...[...KEYS].map(([key, to]) => ({ key: `PROVIDER.${key}`, status: 'translated' as const, to })),
  ...[...WITHOUT_EFFECT].map(([key, reason]) => ({
    key: `PROVIDER.${key}`,
    status: 'ignored' as const,
    reason,
  })),
  {
    key: 'PROVIDER.…',
    status: 'ignored' as const,
    problem: 'warning' as const,
    reason: `such as \`web_search\`: ${OTHER_KEY}`,
  },
]

/** Names of the sections of a configuration that hold the settings of a provider. */
export const PROVIDER_SECTIONS: ReadonlySet<string> = new Set(PROVIDERS.keys())

/** Returns the provider of Troupe for the prefix of a model name; `undefined` if it is no provider. */
export function providerOf(prefix: string, settings: JsonObject): string | undefined {
  if (prefix === 'generic' && baseUrlOf(settings['generic']) === undefined) return 'ollama'
  return PROVIDERS.get(prefix)?.id
}

/** Defines the provider behind the prefix of a model name as the configuration sets it. */
export function putProvider(prefix: string, { rewriter, card }: FieldContext): void {
  const { settings, file } = projectOf(card)
  const id = providerOf(prefix, settings)
  const mapping = PROVIDERS.get(prefix)
  if (id === undefined || mapping === undefined) return
  const section = settings[prefix]
  const label = `${file?.name ?? SETTINGS_WITHOUT_FILE}: ${prefix}`
  reportKeys(prefix, mappingOf(section), { rewriter, card })
  const provider = toProvider(mapping, mappingOf(section))
  if (provider === undefined) return
  rewriter.addProvider(id, provider)
  rewriter.note({
    key: section === undefined ? `(provider ${prefix})` : label,
    status: 'translated',
    to: `providers.${id}`,
  })
}

function reportKeys(
  prefix: string,
  section: JsonObject,
  field: Pick<FieldContext, 'rewriter' | 'card'>,
): void {
  const label = `${projectOf(field.card).file?.name ?? SETTINGS_WITHOUT_FILE}: ${prefix}`
  for (const [key, value] of Object.entries(section)) {
    if (KEYS.has(key) || value === null) continue
    const reason = WITHOUT_EFFECT.get(key)
    field.rewriter.note({ key: `${label}.${key}`, status: 'ignored', reason: reason ?? OTHER_KEY })
    const isOff = value === false || mappingOf(value)['enabled'] === false
    if (reason === undefined && !isOff)
      warnOfSetting([prefix, key], `\`${prefix}.${key}\` has no effect: ${OTHER_KEY}.`, field)
  }
}

/** Families of models that reason. Others reject the setting. */
const REASONING_MODEL = /^(?:o\d|gpt-(?:[5-9]|oss)|claude-\D+-[4-9]|gemini-(?:2\.5|[3-9])|grok-[4-9])/u

/** Returns the reasoning that the section of a provider sets for a model. */
export function defaultReasoning(
  prefix: string | undefined,
  model: string,
  settings: JsonObject,
): string | undefined {
  const section = mappingOf(settings[prefix ?? ''])
  const value = section['reasoning'] ?? section['reasoning_effort']
  const name = model.slice(model.lastIndexOf('/') + 1)
  if (!REASONING_MODEL.test(name) || value === null || value === undefined || value === true) return undefined
  return textOf(value).trim() === '0' ? 'off' : textOf(value).trim()
}

/** Well-known names of models without a prefix. */
const WELL_KNOWN: readonly (readonly [RegExp, string])[] = [
  [/^(?:chatgpt|gpt)-|^o\d(?:-|$)/u, 'openai'],
  [/^claude-/u, 'anthropic'],
  [/^gemini-/u, 'google'],
]

/** Returns the prefix that a model name has or stands for. */
export function prefixOf(name: string): string | undefined {
  const dot = name.indexOf('.')
  const prefix = name.slice(0, Math.max(dot, 0))
  if (PROVIDERS.has(prefix)) return prefix
  return WELL_KNOWN.find(([pattern]) => pattern.test(name))?.[1]
}

function toProvider(
  { baseURL, keyVariable, api }: ProviderMapping,
  section: JsonObject,
): JsonObject | undefined {
  const url = baseUrlOf(section) ?? baseURL
  const { api_key: key, default_headers: headers } = section
  const apiKey = isText(key) && !/^<.*>$/u.test(key) ? key : undefined
  const provider: JsonObject = {
    ...(apiKey === undefined || apiKey === '' ? keyOf(keyVariable) : { apiKey }),
    ...(url === undefined ? {} : { baseURL: url }),
    ...(isJsonObject(headers) ? { headers } : {}),
  }
  if (Object.keys(provider).length === 0) return undefined
  return url === undefined || api === undefined ? provider : { ...provider, api }
}

function keyOf(variable: string | undefined): JsonObject {
  return variable === undefined ? {} : { apiKey: `\${${variable}:-}` }
}

function baseUrlOf(section: Json | undefined): string | undefined {
  const url = mappingOf(section)['base_url']
  return isText(url) && url !== '' ? url : undefined
}
