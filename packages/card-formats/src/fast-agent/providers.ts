import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { FieldContext, FieldRow } from '@troupe/cards/formats'
import { isText, mappingOf } from '../rules/field-rule.ts'
import { projectOf } from './project.ts'
import { convertVariables } from './variables.ts'

/** A provider of fast-agent in Troupe's terms. */
interface ProviderMapping {
  /** The provider of Troupe. */
  readonly id: string
  /** Base URL of a provider that Troupe does not have built in. */
  readonly baseURL?: string
  /** Variable of the key of such a provider. */
  readonly keyVariable?: string
  readonly api?: 'chat' | 'responses'
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
  ['azure', { id: 'azure', api: 'chat' }],
  ['bedrock', { id: 'bedrock' }],
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

/** Rows of the documentation for the section of each provider. */
export const PROVIDER_ROWS: readonly FieldRow[] = [...PROVIDERS].map(([key, { id, baseURL }]) => ({
  key,
  status: 'translated',
  to: `providers.${id}`,
  ...(baseURL === undefined && !BUILT_IN.has(id) ? { reason: 'only with `base_url`' } : {}),
}))

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
  const provider = toProvider(mapping, mappingOf(section))
  if (provider === undefined) return
  rewriter.addProvider(id, provider)
  rewriter.note({
    key: section === undefined ? `(provider ${prefix})` : `${file?.name ?? 'secrets'}: ${prefix}`,
    status: 'translated',
    to: `providers.${id}`,
  })
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
  const apiKey = isText(key) && !/^<.*>$/u.test(key) ? convertVariables(key) : undefined
  const provider: JsonObject = {
    ...(apiKey === undefined || apiKey === '' ? keyOf(keyVariable) : { apiKey }),
    ...(url === undefined ? {} : { baseURL: convertVariables(url) }),
    ...(isJsonObject(headers) ? { headers: convertVariables(headers) } : {}),
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
