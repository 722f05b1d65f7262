import { canonicalJson, failure, isJsonObject, type Failure, type Json } from '@troupe/schema'
import { formOf } from '../file/card-form.ts'
import { readCardText } from '../file/card-text.ts'
import { plainJson } from '../file/plain-json.ts'
import type { ParseOptions } from '../card-types.ts'
import { quoted, type FieldPath } from '../fields/field-path.ts'
import { parseCards } from '../parse-card.ts'
import { cardParts, type CardParts } from './card-parts.ts'
import { editJson } from './edit-json.ts'
import { editYaml } from './edit-yaml.ts'
import { withChange } from './with-change.ts'

/** A change of one value of a card. Keys and indexes are those written in the file. */
export interface CardChange {
  readonly at: FieldPath
  /**
   * The new value, which replaces the old one or is appended to its list or mapping; `undefined` removes the
   * old one.
   */
  readonly value: Json | undefined
}

/** The text of the edited card, or why it was not changed. */
export type CardEdit =
  | { readonly text: string; readonly problem?: undefined }
  | { readonly text?: undefined; readonly problem: Failure }

/**
 * Writes one value into a card. The prose stays byte for byte the same, and so do other keys if possible;
 * comments and the order of keys are always kept. Refuses an edit if the result would differ from the old
 * card by more than the change, or would no longer load. Never throws.
 */
export function editCard(text: string, change: CardChange, options: ParseOptions): CardEdit {
  const form = formOf(options.path)
  const card = readCardText(text, form)
  if ('problem' in card)
    return { problem: failure(card.problem.code, card.problem.message, card.problem.fix) }
  const wanted = withChange(card.fields, change)
  if (!isJsonObject(wanted)) return refused(`there is no place for ${quoted(change.at)}`)
  if (form === 'jsonc' && plainJson(text) !== text) return refused('its comments would be lost')
  const parts = cardParts(text, form)
  const edit = form === 'json' || form === 'jsonc' ? editJson : editYaml
  for (const data of edit(parts.data, { before: card.fields, wanted })) {
    const edited = joined(parts, data)
    const after = readCardText(edited, form)
    if ('problem' in after || canonicalJson(after.fields) !== canonicalJson(wanted)) continue
    if (after.body === card.body) return loadable(text, edited, options)
  }
  return refused(`${quoted(change.at)} cannot be written without changing more`)
}

function joined({ before, after }: CardParts, data: string): string {
  if (before !== '' || after !== '' || data === '') return `${before}${data}${after}`
  return data
}

/** Accepts a text that loads. A card that did not load before may be repaired step by step. */
function loadable(before: string, text: string, options: ParseOptions): CardEdit {
  const [problem] = errorsOf(text, options)
  if (problem === undefined || errorsOf(before, options).length > 0) return { text }
  return { problem: failure(problem.code, problem.message, problem.fix) }
}

function errorsOf(text: string, options: ParseOptions): ReturnType<typeof parseCards>[number]['problems'] {
  return parseCards(text, options).flatMap(({ problems }) =>
    problems.filter(({ severity }) => severity === 'error'),
  )
}

function refused(why: string): CardEdit {
  return { problem: failure('card_edit_refused', `The card was not changed: ${why}.`) }
}
