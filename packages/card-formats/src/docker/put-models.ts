import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { REASONING_LEVELS } from '@troupe/schema/agent-keys'
import {
  dottedPath,
  type FieldContext,
  type FieldOutcome,
  type FieldPath,
  type RawCard,
  textList,
} from '@troupe/cards/formats'
import { ignored, translated, isText, mappingOf, textOf } from '../rules/field-rule.ts'
import { reportNestedKeys } from '../rules/nested-keys.ts'
import { MODEL_KEYS, PROVIDER_KEYS } from './docker-keys.ts'
import { definedProvider, providerAt, providerEntry, type DockerProvider } from './put-providers.ts'

/** Limits of models that are composed of other models. */
const MAX_DEPTH = 3
const MAX_PARTS = 8

/** The model or models that a name stands for. */
interface DockerModel {
  /** Model ids in order of fallback; empty for the default model. */
  readonly ids: readonly string[]
  readonly settings: JsonObject
  /** Providers that the file defines for the models. */
  readonly providers?: readonly DockerProvider[]
  /** The key of a model, `base_url` or `token_key`, that its provider cannot have. */
  readonly lostKey?: string
  /** Paths of the entries of `models` and `providers` that were used, with the entries. */
  readonly used?: readonly (readonly [path: string, entry: JsonObject])[]
}

/** Sets `model` from names defined in `models`, with their settings, or from `provider/name`. */
export function putModel(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, card, from } = field
  if (!isText(value)) {
    rewriter.put(['model'], value, from)
    return undefined
  }
  const found = value.split(',').map((name) => modelOf(name.trim(), card))
  reportModels(found, field)
  putProviders(found, field)
  const ids = found.flatMap((model) => model.ids)
  if (ids.length === 0) return ignored('the default model')
  const [only] = ids
  rewriter.put(['model'], ids.length === 1 && only !== undefined ? only : ids, from)
  const settings = Object.entries(found[0]?.settings ?? {})
  for (const [key, setting] of settings) {
    const to = SETTING_PATHS[key] ?? [key]
    // The threshold of a model replaces that of the agent, but not its model for summaries.
    if (key === 'threshold') rewriter.remove(to)
    if (key !== 'summaries' || card.fields['compaction_model'] === undefined)
      rewriter.put(to, setting, [...from, key])
  }
  const more = settings.map(([key]) => dottedPath(SETTING_PATHS[key] ?? [key]))
  return translated(`model: ${ids.join(', ')}`, more.length === 0 ? undefined : `with its ${more.join(', ')}`)
}

/** Paths of settings that are not keys of a card. */
const SETTING_PATHS: Readonly<Record<string, FieldPath>> = {
  parallelToolCalls: ['limits', 'parallelToolCalls'],
  threshold: ['context', 'threshold'],
  summaries: ['context', 'model'],
}

/** Reports the keys of the used entries that have no effect. */
function reportModels(found: readonly DockerModel[], field: FieldContext): void {
  const entries = new Map(found.flatMap(({ used = [] }) => used))
  for (const [label, entry] of entries)
    reportNestedKeys(entry, label.startsWith('models.') ? MODEL_KEYS : PROVIDER_KEYS, {
      product: 'docker-agent',
      field,
      label,
      at: field.from,
    })
  for (const key of new Set(found.flatMap(({ lostKey }) => lostKey ?? []))) warnOfLostKey(key, field)
}

/**
 * Resolves a name of `models`, or `provider/name`. A model may be composed of others, used in turn or by
 * availability.
 */
function modelOf(name: string, card: RawCard, depth = 0): DockerModel {
  if (name === 'auto' || name === '') return { ids: [], settings: {} }
  const model = getOwn(mappingOf(card.fields['models']), name)
  if (!isJsonObject(model)) return withDefinedProvider(name, card)
  const used = [[`models.${name}`, model]] as const
  const { provider, model: id, first_available: choices } = model
  const names = isText(provider) ? undefined : textList(choices ?? id ?? [], [])?.slice(0, MAX_PARTS)
  const parts = depth < MAX_DEPTH ? names?.map(({ text }) => modelOf(text, card, depth + 1)) : undefined
  const settings = { ...parts?.[0]?.settings, ...settingsOf(model, card) }
  if (parts !== undefined) {
    const lostKey = parts.find((part) => part.lostKey !== undefined)?.lostKey
    return {
      ids: parts.flatMap((part) => part.ids),
      settings,
      providers: parts.flatMap((part) => part.providers ?? []),
      used: [...used, ...parts.flatMap((part) => part.used ?? [])],
      ...(lostKey === undefined ? {} : { lostKey }),
    }
  }
  if (!isText(provider)) return { ids: [textOf(id)], settings, used }
  const own = providerEntry(provider, card) === undefined ? providerAt(model, provider) : undefined
  if (own !== undefined) return { ids: [`${own.name}/${textOf(id)}`], settings, providers: [own], used }
  const named = withDefinedProvider(`${provider}/${textOf(id)}`, card)
  const lostKey = ['base_url', 'token_key'].find((key) => isText(model[key])) ?? named.lostKey
  return {
    ...named,
    settings: { ...named.settings, ...settings },
    used: [...used, ...(named.used ?? [])],
    ...(lostKey === undefined ? {} : { lostKey }),
  }
}

/** Returns the model `provider/name`, with the provider that the file defines under that name. */
function withDefinedProvider(id: string, card: RawCard): DockerModel {
  const [provider = '', ...name] = id.split('/')
  const entry = name.length === 0 ? undefined : providerEntry(provider, card)
  if (entry === undefined) return { ids: [id], settings: {} }
  const defined = definedProvider(provider, entry)
  const kind = defined?.name ?? textOf(entry['provider'], provider)
  return {
    ids: [[kind, ...name].join('/')],
    settings: settingsOf(entry, card),
    used: [[`providers.${provider}`, entry]],
    ...(defined === undefined ? {} : { providers: [defined] }),
    ...(defined === undefined && isText(entry['token_key']) ? { lostKey: 'token_key' } : {}),
  }
}

function putProviders(models: readonly DockerModel[], { rewriter }: FieldContext): void {
  for (const { name, settings } of models.flatMap(({ providers = [] }) => providers))
    rewriter.addProvider(name, settings)
}

function settingsOf(model: JsonObject, card: RawCard): JsonObject {
  const settings: Record<string, Json | undefined> = {
    temperature: model['temperature'],
    topP: model['top_p'],
    maxOutputTokens: model['max_tokens'],
    reasoning: effortOf(model['thinking_budget']),
    parallelToolCalls: model['parallel_tool_calls'],
    threshold: toThreshold(model['compaction_threshold'] ?? null) ?? undefined,
    summaries: isText(model['compaction_model']) ? modelId(model['compaction_model'], card) : undefined,
  }
  return Object.fromEntries(
    Object.entries(settings).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  )
}

/**
 * Converts a thinking budget: a level, optionally behind `adaptive/`, or a number of tokens, where 0 is
 * `none`. Returns `undefined` if the model decides.
 */
function effortOf(budget: Json | undefined): Json | undefined {
  if (typeof budget === 'number') return budget === 0 ? 'none' : budget > 0 ? budget : undefined
  const level = textOf(budget).replace(/^adaptive\//u, '')
  return REASONING_LEVELS.find((known) => known === level && known !== 'provider-default')
}

/** Returns the first id of a name, without its settings. */
function modelId(name: string, card: RawCard): string | undefined {
  const model = getOwn(mappingOf(card.fields['models']), name)
  if (!isJsonObject(model)) return withDefinedProvider(name, card).ids[0]
  return isText(model['provider']) && isText(model['model'])
    ? `${model['provider']}/${model['model']}`
    : undefined
}

/** Share of the context window from which Troupe can shorten a conversation. */
const MIN_THRESHOLD = 0.1

/** Raises a threshold for shortening the conversation to the lowest one that Troupe has. */
export function toThreshold(value: Json): Json {
  return typeof value === 'number' && value > 0 ? Math.max(value, MIN_THRESHOLD) : value
}

/** Sets the model that writes summaries. */
export function putCompactionModel(value: Json, { rewriter, card, from }: FieldContext): FieldOutcome {
  const id = isText(value) ? modelId(value, card) : undefined
  if (id === undefined) return ignored('it does not name a model')
  rewriter.put(['context', 'model'], id, from)
  return undefined
}

/** Warns that a key of a model has no effect, because its provider cannot have it. */
function warnOfLostKey(key: string, { rewriter, from }: FieldContext): void {
  rewriter.addProblem({
    severity: 'warning',
    code: 'key_without_effect',
    message:
      key === 'base_url'
        ? '`base_url` of the model has no effect: its API is only available at its own address.'
        : `\`${key}\` of the model has no effect: its provider only has the key of its own variable.`,
    at: from,
    fix: `Set \`${key === 'base_url' ? 'baseURL' : 'apiKey'}\` of the provider in troupe.json.`,
  })
}

/** Appends the models of `fallback` to those of the agent. */
export function putFallback(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, card, from } = field
  const { models: listed, retries } = mappingOf(value)
  const names = textList(listed ?? [], from) ?? []
  if (typeof retries === 'number' && retries !== 0)
    rewriter.put(['limits', 'maxRetries'], Math.max(retries, 0), [...from, 'retries'])
  const present = rewriter.get(['model'])
  const own: readonly Json[] = Array.isArray(present) ? present : present === undefined ? [] : [present]
  if (names.length === 0) return ignored('it lists no models')
  if (own.length === 0) return ignored('the agent has no model before it')
  const models = names.map(({ text }) => modelOf(text, card))
  reportModels(models, field)
  putProviders(models, field)
  rewriter.remove(['model'])
  rewriter.put(['model'], [...own, ...models.flatMap(({ ids }) => ids)], from)
  return undefined
}
