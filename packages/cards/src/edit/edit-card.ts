import { canonicalJson, failure, isJsonObject, type Failure, type Json } from '@troupe/schema'
import { syntaxOf } from '../file/card-syntax.ts'
import { readCardText } from '../file/card-text.ts'
import { stripJsonComments } from '../file/strip-json-comments.ts'
import type { ParseOptions } from '../card-types.ts'
import { quotedPath, type FieldPath } from '../fields/field-path.ts'
import { parseCards } from '../parse-card.ts'
import { cardParts, type CardParts } from './card-parts.ts'
import { editJson } from './edit-json.ts'
import { editYaml } from './edit-yaml.ts'
import { applyChange } from './apply-change.ts'

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
  const syntax = syntaxOf(options.path)
  const card = readCardText(text, syntax)
  if ('problem' in card)
    return { problem: failure(card.problem.code, card.problem.message, card.problem.fix) }
  const wanted = applyChange(card.fields, change)
  if (!isJsonObject(wanted)) return refusal(`there is no place for ${quotedPath(change.at)}`)
  if (syntax === 'jsonc' && stripJsonComments(text) !== text) return refusal('its comments would be lost')
  const parts = cardParts(text, syntax)
  const edit = syntax === 'json' || syntax === 'jsonc' ? editJson : editYaml
  for (const data of edit(parts.data, { before: card.fields, wanted })) {
    const edited = joinParts(parts, data)
    const after = readCardText(edited, syntax)
    if ('problem' in after || canonicalJson(after.fields) !== canonicalJson(wanted)) continue
    if (after.body === card.body) return checkLoadable(text, edited, options)
  }
  return refusal(`${quotedPath(change.at)} cannot be written without changing more`)
}

function joinParts({ before, after }: CardParts, data: string): string {
  if (before !== '' || after !== '' || data === '') return `${before}${data}${after}`
  return data
}

/** Accepts a text that loads. A card that did not load before may be repaired step by step. */
function checkLoadable(before: string, text: string, options: ParseOptions): CardEdit {
  const [problem] = errorsOf(text, options)
  if (problem === undefined || errorsOf(before, options).length > 0) return { text }
  return { problem: failure(problem.code, problem.message, problem.fix) }
}

function errorsOf(text: string, options: ParseOptions): ReturnType<typeof parseCards>[number]['problems'] {
  return parseCards(text, options).flatMap(({ problems }) =>
    problems.filter(({ severity }) => severity === 'error'),
  )
}

function refusal(why: string): CardEdit {
  return { problem: failure('card_edit_refused', `The card was not changed: ${why}.`) }
}
