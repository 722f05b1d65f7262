import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { REASONING_LEVELS } from '@troupe/schema/agent-keys'
import { type FieldContext, type FieldOutcome, type RawCard, textList } from '@troupe/cards/formats'
import { ignored, translated, isText, mappingOf, textOf } from '../rules/field-rule.ts'
import { definedProvider, providerAt, type DockerProvider } from './put-providers.ts'

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
  /** True if the file sets an address at which the model cannot be used. */
  readonly hasAddress?: boolean
}

/** Sets `model` from names defined in `models`, with their settings, or from `provider/name`. */
export function putModel(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, card, from } = field
  if (!isText(value)) {
    rewriter.put(['model'], value, from)
    return undefined
  }
  const found = value.split(',').map((name) => modelOf(name.trim(), card))
  if (found.some(({ hasAddress }) => hasAddress)) warnOfAddress(field)
  putProviders(found, field)
  const ids = found.flatMap((model) => model.ids)
  if (ids.length === 0) return ignored('the default model')
  const [only] = ids
  rewriter.put(['model'], ids.length === 1 && only !== undefined ? only : ids, from)
  const { parallelToolCalls, ...settings } = found[0]?.settings ?? {}
  for (const [key, setting] of Object.entries(settings)) rewriter.put([key], setting, [...from, key])
  if (parallelToolCalls !== undefined)
    rewriter.put(['limits', 'parallelToolCalls'], parallelToolCalls, [...from, 'parallelToolCalls'])
  const more = Object.keys(found[0]?.settings ?? {})
  return translated(`model: ${ids.join(', ')}`, more.length === 0 ? undefined : `with its ${more.join(', ')}`)
}

/**
 * Resolves a name of `models`, or `provider/name`. A model may be composed of others, used in turn or by
 * availability.
 */
function modelOf(name: string, card: RawCard, depth = 0): DockerModel {
  if (name === 'auto' || name === '') return { ids: [], settings: {} }
  const model = getOwn(mappingOf(card.fields['models']), name)
  if (!isJsonObject(model)) return withDefinedProvider(name, card)
  const { provider, model: id, first_available: choices } = model
  const names = isText(provider) ? undefined : textList(choices ?? id ?? [], [])?.slice(0, MAX_PARTS)
  const parts = depth < MAX_DEPTH ? names?.map(({ text }) => modelOf(text, card, depth + 1)) : undefined
  const settings = { ...parts?.[0]?.settings, ...settingsOf(model) }
  if (parts !== undefined)
    return {
      ids: parts.flatMap((part) => part.ids),
      settings,
      providers: parts.flatMap((part) => part.providers ?? []),
      hasAddress: parts.some((part) => part.hasAddress),
    }
  if (!isText(provider)) return { ids: [textOf(id)], settings }
  const own = isText(model['base_url']) ? providerAt(model, provider) : undefined
  if (own !== undefined) return { ids: [`${own.name}/${textOf(id)}`], settings, providers: [own] }
  const named = withDefinedProvider(`${provider}/${textOf(id)}`, card)
  return { ...named, settings, hasAddress: isText(model['base_url']) }
}

/** Returns the model `provider/name`, with the provider that the file defines under that name. */
function withDefinedProvider(id: string, card: RawCard): DockerModel {
  const [provider = '', ...name] = id.split('/')
  const defined = name.length === 0 ? undefined : definedProvider(provider, card)
  if (defined === undefined) return { ids: [id], settings: {} }
  return { ids: [[defined.name, ...name].join('/')], settings: {}, providers: [defined] }
}

function putProviders(models: readonly DockerModel[], { rewriter }: FieldContext): void {
  for (const { name, settings } of models.flatMap(({ providers = [] }) => providers))
    rewriter.addProvider(name, settings)
}

function settingsOf(model: JsonObject): JsonObject {
  const settings: Record<string, Json | undefined> = {
    temperature: model['temperature'],
    topP: model['top_p'],
    maxOutputTokens: model['max_tokens'],
    reasoning: effortOf(model['thinking_budget']),
    parallelToolCalls: model['parallel_tool_calls'],
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

/** Warns that the address of a model has no effect, because requests go to the provider's own address. */
function warnOfAddress({ rewriter, from }: FieldContext): void {
  rewriter.addProblem({
    severity: 'warning',
    code: 'key_without_effect',
    message: '`base_url` of the model has no effect: its API is only available at its own address.',
    at: from,
    fix: 'Set `baseURL` of the provider in troupe.json.',
  })
}

/** Appends the models of `fallback` to those of the agent. */
export function putFallback(value: Json, field: FieldContext): FieldOutcome {
  const { rewriter, card, from } = field
  const names = textList(mappingOf(value)['models'] ?? [], from) ?? []
  const present = rewriter.get(['model'])
  const own: readonly Json[] = Array.isArray(present) ? present : present === undefined ? [] : [present]
  if (names.length === 0) return ignored('it lists no models')
  if (own.length === 0) return ignored('the agent has no model before it')
  const models = names.map(({ text }) => modelOf(text, card))
  putProviders(models, field)
  rewriter.remove(['model'])
  rewriter.put(['model'], [...own, ...models.flatMap(({ ids }) => ids)], from)
  return undefined
}
