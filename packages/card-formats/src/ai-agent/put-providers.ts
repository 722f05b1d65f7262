import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { REASONING_LEVELS } from '@troupe/schema/agent-keys'
import type { FieldContext, ProjectSettings } from '@troupe/cards/formats'
import { isText, mappingOf } from '../rules/field-rule.ts'
import { becomes, lost, reportKey, reportKeys, without, type ConfigKeys } from './config-keys.ts'
import { entryMapping, findConfigEntry, refuseEntry, type ConfigEntry } from './config-layers.ts'

/** The API and the default address of a provider type. */
interface ProviderType {
  readonly api?: 'chat' | 'anthropic'
  readonly baseURL?: string
}

const TYPES: Readonly<Record<string, ProviderType>> = {
  openai: { baseURL: 'https://api.openai.com/v1' },
  'openai-compatible': { api: 'chat' },
  openrouter: { api: 'chat', baseURL: 'https://openrouter.ai/api/v1' },
  ollama: { api: 'chat', baseURL: 'http://localhost:11434/v1' },
  anthropic: { api: 'anthropic', baseURL: 'https://api.anthropic.com/v1' },
  google: {},
}

/** Keys of a provider. */
export const PROVIDER_KEYS: ConfigKeys = {
  type: becomes('providers.*.api', 'test-llm is an error'),
  apiKey: becomes('providers.*.apiKey'),
  baseUrl: becomes('providers.*.baseURL'),
  headers: becomes('providers.*.headers'),
  openaiMode: becomes('providers.*.api'),
  contextWindow: becomes('providers.*.models.*.contextWindow'),
  reasoning: becomes('providers.*.models.*.reasoning'),
  models: becomes('providers.*.models'),
  toolsAllowed: without('an error unless it allows all tools'),
  toolsDenied: without('an error unless it is empty'),
  custom: becomes('providers.*.body', 'without `stream`; `providerOptions` has no effect, with a warning'),
  mergeStrategy: without('it only affects `custom`'),
  reasoningValue: lost('see `reasoning`'),
  toolChoice: without('the model decides whether to call a tool'),
  tokenizer: without('Troupe counts tokens as the provider reports them'),
  contextWindowBufferTokens: lost('see `context.threshold`', 8192),
  stringSchemaFormats: without('Troupe adapts schemas to the provider'),
  stringSchemaFormatsAllowed: without('Troupe adapts schemas to the provider'),
  stringSchemaFormatsDenied: without('Troupe adapts schemas to the provider'),
}

/** Keys of a model of a provider. */
export const MODEL_KEYS: ConfigKeys = {
  contextWindow: becomes('providers.*.models.*.contextWindow'),
  reasoning: becomes('providers.*.models.*.reasoning'),
  interleaved: without('reasoning is sent back as the API of the provider expects'),
  toolChoice: without('the model decides whether to call a tool'),
  overrides: becomes('temperature, topP', 'for all models of the card'),
}

const NOT_SENT = 'Troupe does not send this setting, so the model uses its own'

/** Keys of `overrides`, which sets what is sent to a model. `null` sends nothing. */
export const OVERRIDE_KEYS: ConfigKeys = {
  temperature: becomes('temperature'),
  top_p: becomes('topP'),
  top_k: lost(NOT_SENT),
  repeat_penalty: lost(NOT_SENT),
}

/** Defines the providers of the card's models that a layer of the configuration has. */
export function putConfiguredProviders(layers: readonly ProjectSettings[], field: FieldContext): void {
  const models = modelNames(field)
  for (const provider of new Set(models.map(({ provider }) => provider))) {
    const entry = findConfigEntry(layers, 'providers', provider)
    const value = entry && entryMapping(entry, field)
    if (entry === undefined || value === undefined) continue
    const settings = providerSettings(provider, value, { entry, field })
    if (settings === undefined) continue
    const prices = pricesOf(findConfigEntry(layers, 'pricing', provider)?.value)
    field.rewriter.addProvider(provider, { ...settings, ...(isFilled(prices) ? { prices } : {}) })
    field.rewriter.note({
      key: `${entry.settings.label}: providers.${provider}`,
      status: 'translated',
      to: `providers.${provider}`,
      reason: 'a card cannot hold it; after a conversion, define it in troupe.json',
    })
    applyOverrides(
      models.filter((model) => model.provider === provider).map(({ name }) => name),
      value,
      { entry, field },
    )
  }
}

function modelNames({
  rewriter,
}: FieldContext): readonly { readonly provider: string; readonly name: string }[] {
  return [rewriter.get(['model']) ?? []].flat().flatMap((model) => {
    const [provider, ...name] = isText(model) ? model.split('/') : []
    return provider === undefined || name.length === 0 ? [] : [{ provider, name: name.join('/') }]
  })
}

interface ProviderContext {
  readonly entry: ConfigEntry
  readonly field: FieldContext
}

function providerSettings(name: string, value: JsonObject, source: ProviderContext): JsonObject | undefined {
  const { entry, field } = source
  const type = isText(value['type']) ? value['type'] : name
  const known = getOwn(TYPES, type)
  const isBuiltIn = getOwn(TYPES, name) !== undefined
  if (known === undefined || (isBuiltIn && type !== name) || (!isBuiltIn && type === 'google')) {
    refuseEntry(entry, field, {
      key: 'type',
      message: `has the type "${type}", which Troupe does not have${known === undefined ? '' : ` under the name ${name}`}`,
      fix: `Use one of ${Object.keys(TYPES).join(', ')}.`,
    })
    return undefined
  }
  reportOtherKeys(value, source)
  const baseURL = isText(value['baseUrl']) ? value['baseUrl'] : isBuiltIn ? undefined : known.baseURL
  const mode = value['openaiMode'] === 'chat' ? 'chat' : 'responses'
  const api = type === 'openai' ? mode : isBuiltIn ? undefined : known.api
  const models = modelSettings(value)
  return {
    ...(isText(value['apiKey']) ? { apiKey: value['apiKey'] } : {}),
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(isFilled(value['headers']) ? { headers: value['headers'] } : {}),
    ...(api === undefined ? {} : { api }),
    ...(isFilled(models) ? { models } : {}),
    ...bodyOf(value['custom'], source),
  }
}

/** Returns what `custom` adds to requests. Whether to stream is decided for each request. */
function bodyOf(custom: Json | undefined, { entry, field }: ProviderContext): JsonObject {
  const { stream: _stream, providerOptions, ...body } = mappingOf(custom)
  const at = [...entry.at, 'custom', 'providerOptions']
  reportKey(lost('Troupe has no such options'), providerOptions ?? null, { entry, field, at })
  return isFilled(body) ? { body } : {}
}

/** Keys of the price of a model. */
export const PRICE_KEYS: ConfigKeys = {
  unit: becomes('providers.*.prices'),
  currency: becomes('providers.*.prices', 'only USD; prices in other currencies are left out'),
  prompt: becomes('providers.*.prices.*.input'),
  completion: becomes('providers.*.prices.*.output'),
  cacheRead: becomes('providers.*.prices.*.cacheRead'),
  cacheWrite: becomes('providers.*.prices.*.cacheWrite'),
}

/** Returns the prices of a provider in USD per million tokens. Prices in other currencies are left out. */
function pricesOf(pricing: Json | undefined): JsonObject {
  const prices = Object.entries(mappingOf(pricing)).flatMap(([model, value]): [string, JsonObject][] => {
    const { unit, currency = 'USD', prompt, completion, cacheRead, cacheWrite } = mappingOf(value)
    const factor = unit === 'per_1k' ? 1000 : 1
    if (currency !== 'USD' || typeof prompt !== 'number' || typeof completion !== 'number') return []
    const price = {
      input: prompt * factor,
      output: completion * factor,
      ...(typeof cacheRead === 'number' ? { cacheRead: cacheRead * factor } : {}),
      ...(typeof cacheWrite === 'number' ? { cacheWrite: cacheWrite * factor } : {}),
    }
    return [[model, price]]
  })
  return Object.fromEntries(prices)
}

/** Returns the settings of the listed models, and under `*` those of all others. */
function modelSettings(value: JsonObject): JsonObject {
  const own = modelSetting({}, value)
  const listed = Object.entries(mappingOf(value['models'])).map(([name, model]): [string, JsonObject] => [
    name,
    modelSetting(mappingOf(model), value),
  ])
  return Object.fromEntries([...listed, ['*', own] as const].filter(([, settings]) => isFilled(settings)))
}

function modelSetting(model: JsonObject, provider: JsonObject): JsonObject {
  const contextWindow = model['contextWindow'] ?? provider['contextWindow']
  const reasoning = reasoningOf('reasoning' in model ? model['reasoning'] : provider['reasoning'])
  return {
    ...(typeof contextWindow === 'number' ? { contextWindow } : {}),
    ...(reasoning === undefined ? {} : { reasoning }),
  }
}

/** Returns a reasoning level. `null` and `unset` turn reasoning off. */
function reasoningOf(value: Json | undefined): Json | undefined {
  if (value === null || value === 'unset') return 'none'
  const isLevel = REASONING_LEVELS.some((level) => level === value)
  return isLevel || typeof value === 'number' ? value : undefined
}

/** Reports keys that change what the model gets and that are not sent. */
function reportOtherKeys(value: JsonObject, source: ProviderContext): void {
  reportKeys(value, PROVIDER_KEYS, source)
  for (const key of ['toolsAllowed', 'toolsDenied'])
    if (value[key] !== undefined) refuseToolFilter(key, value[key], source)
  for (const [name, model] of Object.entries(mappingOf(value['models']))) {
    const path = ['models', name]
    reportKeys(mappingOf(model), MODEL_KEYS, { ...source, path })
    const overrides = mappingOf(mappingOf(model)['overrides'])
    reportKeys(overrides, OVERRIDE_KEYS, { ...source, path: [...path, 'overrides'] })
  }
}

function refuseToolFilter(key: string, value: Json, { entry, field }: ProviderContext): void {
  const names = Array.isArray(value) ? (value as readonly Json[]) : [value]
  const isOpen = key === 'toolsAllowed' ? names.length === 0 || names.includes('*') : names.length === 0
  if (!isOpen)
    refuseEntry(entry, field, {
      key,
      message: `limits the tools of its models with \`${key}\``,
      fix: 'Limit the tools in `tools` of the card or in `mcpServers`.',
    })
}

const SETTINGS: ReadonlyMap<string, string> = new Map([
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
])

/** Applies `models.*.overrides`. A setting is sent to all models of a card or to none. */
function applyOverrides(
  names: readonly string[],
  value: JsonObject,
  { entry, field }: ProviderContext,
): void {
  const { rewriter } = field
  for (const name of names) {
    const model = mappingOf(getOwn(mappingOf(value['models']), name))
    for (const [key, override] of Object.entries(mappingOf(model['overrides']))) {
      const to = SETTINGS.get(key)
      if (to === undefined) continue
      const at = `${entry.settings.label}: ${[...entry.at, 'models', name, 'overrides', key].join('.')}`
      const from = rewriter.get([to]) === undefined ? [] : rewriter.originOf([to])
      rewriter.remove([to])
      if (override !== null) rewriter.put([to], override, from)
      rewriter.note({
        key: at,
        status: 'translated',
        to: override === null ? `no ${to}` : `${to}: ${JSON.stringify(override)}`,
        reason: 'it applies to all models of the card',
      })
    }
  }
}

function isFilled(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).length > 0
}
