import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { REASONING_LEVELS } from '@troupe/schema/agent-keys'
import type { FieldContext, ProjectSettings } from '@troupe/cards/formats'
import { isText, mappingOf } from '../rules/field-rule.ts'
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

/** Keys that are not translated, with the reason. */
const IGNORED: Readonly<Record<string, string>> = {
  mergeStrategy: 'it only affects `custom`',
  stringSchemaFormatsAllowed: 'Troupe adapts schemas to the provider',
  stringSchemaFormatsDenied: 'Troupe adapts schemas to the provider',
  tokenizer: 'Troupe counts tokens as the provider reports them',
  toolChoice: 'the model decides whether to call a tool',
  contextWindowBufferTokens: 'see `context.threshold`',
  reasoningValue: 'see `reasoning`',
}
const TRANSLATED: ReadonlySet<string> = new Set([
  'type',
  'apiKey',
  'baseUrl',
  'headers',
  'custom',
  'openaiMode',
  'contextWindow',
  'reasoning',
  'models',
  'toolsAllowed',
  'toolsDenied',
])

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
  }
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

/** Returns a reasoning level. `null` turns reasoning off. */
function reasoningOf(value: Json | undefined): Json | undefined {
  if (value === null) return 'none'
  const isLevel = REASONING_LEVELS.some((level) => level === value)
  return isLevel || typeof value === 'number' ? value : undefined
}

/** Reports keys that change what the model gets and that are not sent. */
function reportOtherKeys(value: JsonObject, { entry, field }: ProviderContext): void {
  for (const [key, member] of Object.entries(value)) {
    const reason = getOwn(IGNORED, key)
    if (reason !== undefined)
      field.rewriter.note({
        key: `${entry.settings.label}: ${[...entry.at, key].join('.')}`,
        status: 'ignored',
        reason,
      })
    else if (key === 'custom' && isFilled(member))
      warnCustom(Object.keys(mappingOf(member)), { entry, field })
    else if (key === 'toolsAllowed' || key === 'toolsDenied') refuseToolFilter(key, member, { entry, field })
    else if (!TRANSLATED.has(key))
      refuseEntry(entry, field, { key, message: `has the unknown key \`${key}\`` })
  }
}

function warnCustom(keys: readonly string[], { entry, field }: ProviderContext): void {
  field.rewriter.addProblem({
    severity: 'warning',
    code: 'key_without_effect',
    message: `${entry.settings.name}: \`${entry.at.join('.')}.custom\` has no effect: Troupe does not send ${keys.join(', ')} to the provider.`,
  })
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
      const at = `${entry.settings.label}: ${[...entry.at, 'models', name, 'overrides', key].join('.')}`
      if (to === undefined || rewriter.get([to]) === undefined) {
        rewriter.note({ key: at, status: 'ignored', reason: 'the setting is not sent anyway' })
        continue
      }
      const from = rewriter.originOf([to])
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
