import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { valueText } from '../ui/format.ts'

/** A value that a person can choose, and its title. */
export interface Choice {
  readonly value: Json
  readonly title: string
}

/** Maximum number of choices. A field with more is a text field. */
const MAX_CHOICES = 500
const MAX_TITLE = 200

/**
 * Returns the values that a schema allows, with their titles: `true` and `false`, those of `enum`, or the constants of
 * `oneOf` or `anyOf`. Returns `undefined` if the schema allows others.
 */
export function choicesOf(schema: JsonObject): readonly Choice[] | undefined {
  const { type, enum: allowed, enumNames } = schema
  if (type === 'boolean') return [true, false].map((value) => toChoice(value, undefined))
  if (Array.isArray(allowed)) {
    const names: readonly Json[] = Array.isArray(enumNames) ? enumNames : []
    return limited((allowed as readonly Json[]).map((value, index) => toChoice(value, names[index])))
  }
  const options = schema['oneOf'] ?? schema['anyOf']
  if (!Array.isArray(options)) return undefined
  const constants = (options as readonly Json[]).flatMap((option) =>
    isJsonObject(option) && option['const'] !== undefined ? toChoice(option['const'], option['title']) : [],
  )
  return constants.length === options.length ? limited(constants) : undefined
}

/** Returns the choices for the items of a list; `undefined` if the items can have other values. */
export function itemChoicesOf({ type, items }: JsonObject): readonly Choice[] | undefined {
  if (type !== 'array' || !isJsonObject(items) || items['type'] === 'boolean') return undefined
  return choicesOf(items)
}

/** Returns the choice with a value; `undefined` if there is none. */
export function choiceOf(choices: readonly Choice[], value: Json): Choice | undefined {
  const text = JSON.stringify(value)
  return choices.find((choice) => JSON.stringify(choice.value) === text)
}

function toChoice(value: Json, title: Json | undefined): Choice {
  const text = typeof title === 'string' && title.trim() !== '' ? title : valueText(value)
  return { value, title: text.slice(0, MAX_TITLE) }
}

function limited(choices: readonly Choice[]): readonly Choice[] | undefined {
  return choices.length === 0 || choices.length > MAX_CHOICES ? undefined : choices
}
