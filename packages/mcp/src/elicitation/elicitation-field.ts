import { getOwn, isJsonObject, visibleText, type Json, type JsonObject } from '@troupe/schema'

const MAX_TEXT = 500

/** One field of an elicitation form. */
export interface ElicitationField {
  readonly name: string
  readonly required: boolean
  /** Question shown to the person. */
  readonly question: string
  /** Possible answers; `undefined` if any text is allowed. */
  readonly choices?: readonly string[]
  readonly defaultValue?: Json
  /** Parses an answer into a value or a problem. */
  parse(text: string): { readonly value: Json } | { readonly problem: string }
}

/** Returns the fields of a form in order, or `undefined` if one of them has an unsupported type. */
export function formFields(schema: JsonObject): readonly ElicitationField[] | undefined {
  const { properties, required } = schema
  if (!isJsonObject(properties)) return []
  const names = new Set(Array.isArray(required) ? required : [])
  const fields = Object.entries(properties).map(([name, property]) =>
    isJsonObject(property) ? formField(name, property, names.has(name)) : undefined,
  )
  return fields.every((field) => field !== undefined) ? fields : undefined
}

function formField(name: string, property: JsonObject, required: boolean): ElicitationField | undefined {
  const kind = kindOf(property)
  if (kind === undefined) return undefined
  const fallback = getOwn(property, 'default')
  const described = [text(property['title']) ?? text(name) ?? 'value', text(property['description'])]
  const hint =
    fallback !== undefined
      ? ` (default: ${typeof fallback === 'string' ? shown(fallback) : shown(JSON.stringify(fallback))})`
      : required
        ? ''
        : ' (optional)'
  return {
    name,
    required,
    question: `${described.filter((part) => part !== undefined).join(': ')}${hint}`,
    ...(fallback === undefined ? {} : { defaultValue: fallback }),
    ...kind,
  }
}

type FieldKind = Pick<ElicitationField, 'choices' | 'parse'>

function kindOf(property: JsonObject): FieldKind | undefined {
  const options = optionsOf(property)
  if (options !== undefined) return singleChoice(options)
  const { type } = property
  if (type === 'string') return { parse: (value) => boundedText(value, property) }
  if (type === 'number' || type === 'integer') return { parse: (value) => boundedNumber(value, property) }
  if (type === 'boolean')
    return singleChoice([
      { shown: 'yes', value: true },
      { shown: 'no', value: false },
    ])
  const items = type === 'array' && isJsonObject(property['items']) ? optionsOf(property['items']) : undefined
  return items === undefined ? undefined : multipleChoice(items)
}

interface Option {
  readonly shown: string
  readonly value: Json
}

/** Returns the options from any of the forms used by the protocol revisions. */
function optionsOf(schema: JsonObject): readonly Option[] | undefined {
  const titled = schema['oneOf'] ?? schema['anyOf']
  if (Array.isArray(titled))
    return titled.filter(isJsonObject).map((option) => ({
      shown: text(option['title']) ?? shown(JSON.stringify(option['const'] ?? null)),
      value: option['const'] ?? null,
    }))
  const { enum: values, enumNames } = schema
  if (!Array.isArray(values)) return undefined
  const names = Array.isArray(enumNames) ? enumNames : []
  return values.map((value, index) => ({ shown: text(names[index]) ?? shown(String(value)), value }))
}

function singleChoice(options: readonly Option[]): FieldKind {
  return {
    choices: options.map((option) => option.shown),
    parse: (said) => {
      const option = options.find((each) => each.shown === said)
      return option === undefined ? { problem: 'it is not one of the choices' } : { value: option.value }
    },
  }
}

/**
 * Creates a multiple-choice field, answered with a comma-separated list because a question has a single
 * answer.
 */
function multipleChoice(options: readonly Option[]): FieldKind {
  const list = options.map((option) => option.shown).join(', ')
  return {
    parse: (said) => {
      const words = said.split(',').map((word) => word.trim())
      const chosen = options.filter((option) => words.includes(option.shown))
      return chosen.length === new Set(words).size
        ? { value: chosen.map((option) => option.value) }
        : { problem: `write one or more of these, separated by commas: ${list}` }
    },
  }
}

function boundedText(
  value: string,
  { minLength, maxLength }: JsonObject,
): ReturnType<ElicitationField['parse']> {
  if (typeof minLength === 'number' && value.length < minLength)
    return { problem: `it must have at least ${minLength} characters` }
  if (typeof maxLength === 'number' && value.length > maxLength)
    return { problem: `it must have at most ${maxLength} characters` }
  return { value }
}

function boundedNumber(
  said: string,
  { type, minimum, maximum }: JsonObject,
): ReturnType<ElicitationField['parse']> {
  const value = said.trim() === '' ? Number.NaN : Number(said)
  if (!Number.isFinite(value) || (type === 'integer' && !Number.isSafeInteger(value)))
    return { problem: `it is not a ${type === 'integer' ? 'whole number' : 'number'}` }
  if (typeof minimum === 'number' && value < minimum) return { problem: `it must be at least ${minimum}` }
  if (typeof maximum === 'number' && value > maximum) return { problem: `it must be at most ${maximum}` }
  return { value }
}

/** Returns the visible text of a server's string in limited length, or `undefined` if there is none. */
function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? shown(value) : undefined
}

function shown(value: string): string {
  const { text: visible } = visibleText(value)
  return visible.length > MAX_TEXT ? `${visible.slice(0, MAX_TEXT)}…` : visible
}
