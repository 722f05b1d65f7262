import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { DialectInput } from '../dialect.ts'
import { ignored, translated, type FieldContext, type FieldOutcome } from '../field-rule.ts'
import { isText, mappingOf, textOf } from '../json-shapes.ts'
import { textList } from '../text-list.ts'

/** `model`: names of `models` with what they say there, or `provider/name`. */
export function putModel(value: Json, { rewriter, card, from }: FieldContext): FieldOutcome {
  if (!isText(value)) {
    rewriter.put(['model'], value, from)
    return undefined
  }
  const names = value.split(',').map((name) => name.trim())
  const found = names.map((name) => modelOf(name, card))
  const ids = found.flatMap(({ id }) => id ?? [])
  if (ids.length === 0) return ignored('the default model')
  const [only] = ids
  rewriter.put(['model'], ids.length === 1 && only !== undefined ? only : ids, from)
  const settings = found[0]?.settings ?? {}
  for (const [key, setting] of Object.entries(settings)) rewriter.put([key], setting, from)
  const more = Object.keys(settings)
  return translated(`model: ${ids.join(', ')}`, more.length === 0 ? undefined : `with its ${more.join(', ')}`)
}

/** A name of `models`, or `provider/name`. */
function modelOf(name: string, card: DialectInput): { readonly id?: string; readonly settings: JsonObject } {
  if (name === 'auto' || name === '') return { settings: {} }
  const model = getOwn(mappingOf(card.fields['models']), name)
  if (!isJsonObject(model)) return { id: name, settings: {} }
  const {
    provider,
    model: id,
    temperature,
    top_p: topP,
    max_tokens: maxOutputTokens,
    thinking_budget: effort,
  } = model
  const reasoning =
    isText(effort) && /^(?:none|minimal|low|medium|high|xhigh|max)$/u.test(effort) ? effort : undefined
  const settings = { temperature, topP, maxOutputTokens, reasoning }
  return {
    id: isText(provider) ? `${provider}/${textOf(id)}` : textOf(id),
    settings: Object.fromEntries(
      Object.entries(settings).filter(([, value]) => value !== undefined),
    ) as JsonObject,
  }
}

/** `fallback`: models behind the one of the agent. */
export function putFallback(value: Json, { rewriter, card, from }: FieldContext): FieldOutcome {
  const names = textList(mappingOf(value)['models'] ?? [], from) ?? []
  const own = rewriter.get(['model'])
  if (names.length === 0 || !isText(own)) return ignored('it names no models')
  rewriter.remove(['model'])
  rewriter.put(['model'], [own, ...names.flatMap(({ text }) => modelOf(text, card).id ?? [])], from)
  return undefined
}
