import { failure, isJsonObject, type Failure, type Json, type JsonObject } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import { quotedPath, type FieldPath } from '../card/problem.ts'
import { stripJsonComments, syntaxOf, type CardSyntax } from '../file/card-syntax.ts'
import { readCardText } from '../file/card-text.ts'
import type { ParseOptions } from '../formats/card-format.ts'
import { parseCards } from '../parse/parse-card.ts'
import { editJson, editYaml } from './edit-yaml.ts'

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
  if (!isJsonObject(wanted)) return refusal(`${quotedPath(change.at)} does not exist and cannot be added`)
  if (syntax === 'jsonc' && stripJsonComments(text) !== text) return refusal('its comments would be lost')
  const parts = cardParts(text, syntax)
  const edit = syntax === 'json' || syntax === 'jsonc' ? editJson : editYaml
  for (const data of edit(parts.data, { before: card.fields, wanted })) {
    const edited = joinParts(parts, data)
    const after = readCardText(edited, syntax)
    if ('problem' in after || canonicalJson(after.fields) !== canonicalJson(wanted)) continue
    if (after.body === card.body) return checkLoadable(text, edited, options)
  }
  return refusal(`${quotedPath(change.at)} cannot be written without changing other parts`)
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

/** The text of a card in three parts: the keys, and the text before and after them. */
export interface CardParts {
  readonly before: string
  readonly data: string
  readonly after: string
}

const LEAD = /^\uFEFF?(?:#![^\n]*\n?)?/u
/** A closing fence. Only a line feed ends a line, unlike with the `m` flag. */
const CLOSING = /(?<![^\n])---[ \t]*\r?(?![^\n])/u
const OPENING = /^---(?:ya?ml)?[ \t]*\r?\n/u

/** Splits a card with valid fences at them. Adds fences to a text without front matter. */
export function cardParts(text: string, syntax: CardSyntax): CardParts {
  const lead = LEAD.exec(text)?.[0] ?? ''
  const content = text.slice(lead.length)
  if (syntax !== 'markdown') return { before: lead, data: content, after: '' }
  const opening = OPENING.exec(content)?.[0]
  if (opening === undefined) {
    const end = content.includes('\r\n') ? '\r\n' : '\n'
    return { before: `${lead}---${end}`, data: '', after: `---${end}${content}` }
  }
  const rest = content.slice(opening.length)
  const closing = CLOSING.exec(rest)?.index ?? rest.length
  return { before: lead + opening, data: rest.slice(0, closing), after: rest.slice(closing) }
}

/** Returns a copy of a value with one change, or `undefined` if the path does not fit the value. */
export function applyChange(
  value: Json | undefined,
  { at, value: next }: { readonly at: FieldPath; readonly value: Json | undefined },
): Json | undefined {
  const [step, ...rest] = at
  if (step === undefined) return next
  if (typeof step === 'number') return changeList(value ?? [], step, { at: rest, value: next })
  return changeMapping(value ?? {}, step, { at: rest, value: next })
}

type ValueChange = Parameters<typeof applyChange>[1]

function changeList(list: Json, index: number, change: ValueChange): Json | undefined {
  if (!Array.isArray(list) || !Number.isInteger(index) || index < 0 || index > list.length) return undefined
  const members = list as readonly Json[]
  if (index === members.length && change.value === undefined) return members
  const changed = applyChange(members[index], change)
  if (changed === undefined && change.at.length > 0) return undefined
  return [
    ...members.slice(0, index),
    ...(changed === undefined ? [] : [changed]),
    ...members.slice(index + 1),
  ]
}

function changeMapping(mapping: Json, key: string, change: ValueChange): Json | undefined {
  if (!isJsonObject(mapping)) return undefined
  const old = Object.hasOwn(mapping, key) ? mapping[key] : undefined
  if (old === undefined && change.value === undefined) return mapping
  const changed = applyChange(old, change)
  if (changed === undefined && change.at.length > 0) return undefined
  return Object.fromEntries(replaceEntry(mapping, key, changed))
}

/** Returns the entries with the value in its old position, or appended. */
function replaceEntry(
  mapping: JsonObject,
  key: string,
  value: Json | undefined,
): readonly (readonly [string, Json])[] {
  const entries = Object.entries(mapping)
  if (!Object.hasOwn(mapping, key)) return value === undefined ? entries : [...entries, [key, value]]
  return entries.flatMap(([name, old]) => {
    if (name !== key) return [[name, old] as const]
    return value === undefined ? [] : [[name, value] as const]
  })
}
