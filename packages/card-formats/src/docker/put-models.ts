import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { REASONING_LEVELS } from '@troupe/schema/agent-keys'
import { type FieldContext, type FieldOutcome, type RawCard, textList } from '@troupe/cards/formats'
import { ignored, translated, isText, mappingOf, textOf } from '../rules/field-rule.ts'

/** Limits of models that are composed of other models. */
const MAX_DEPTH = 3
const MAX_PARTS = 8

/** The model or models that a name stands for. */
interface DockerModel {
  /** Model ids in order of fallback; empty for the default model. */
  readonly ids: readonly string[]
  readonly settings: JsonObject
  /** True if the file sets the address of the model. */
  readonly hasAddress?: true
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
  if (!isJsonObject(model)) return { ids: [name], settings: {} }
  const { provider, model: id, first_available: choices } = model
  const names = isText(provider) ? undefined : textList(choices ?? id ?? [], [])?.slice(0, MAX_PARTS)
  const parts = depth < MAX_DEPTH ? names?.map(({ text }) => modelOf(text, card, depth + 1)) : undefined
  return {
    ids: parts?.flatMap((part) => part.ids) ?? [isText(provider) ? `${provider}/${textOf(id)}` : textOf(id)],
    settings: { ...parts?.[0]?.settings, ...settingsOf(model) },
    ...(isText(model['base_url']) ? { hasAddress: true } : {}),
  }
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
    message: '`base_url` of the model has no effect: requests go to the configured provider.',
    at: from,
    fix: 'Set `baseURL` of the provider in troupe.json.',
  })
}

/** Appends the models of `fallback` to those of the agent. */
export function putFallback(value: Json, { rewriter, card, from }: FieldContext): FieldOutcome {
  const names = textList(mappingOf(value)['models'] ?? [], from) ?? []
  const present = rewriter.get(['model'])
  const own: readonly Json[] = Array.isArray(present) ? present : present === undefined ? [] : [present]
  if (names.length === 0) return ignored('it lists no models')
  if (own.length === 0) return ignored('the agent has no model before it')
  rewriter.remove(['model'])
  rewriter.put(['model'], [...own, ...names.flatMap(({ text }) => modelOf(text, card).ids)], from)
  return undefined
}
