import { isJsonObject, troupeError, type Json, type JsonObject } from '@troupe/schema'

/** Form field with a parser for typed input. */
export interface TerminalFormField {
  readonly name: string
  /** Title and description. */
  readonly label: string
  readonly choices: readonly FieldChoice[]
  readonly isRequired: boolean
  /** Parses a line: `none` if an optional field was left empty, `undefined` if the input is invalid. */
  read(line: string): { readonly value: Json } | 'none' | undefined
  /** Description of valid input. */
  readonly hint: string
}

interface FieldChoice {
  readonly value: string
  readonly title: string
}

export function formFields({ properties, required }: JsonObject): readonly TerminalFormField[] {
  const names = Array.isArray(required) ? required : []
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).flatMap(([name, schema]) =>
    isJsonObject(schema) ? [toField(name, schema, names.includes(name))] : [],
  )
}

function toField(name: string, schema: JsonObject, isRequired: boolean): TerminalFormField {
  const { title, description, type, default: fallback } = schema
  const isList = type === 'array'
  const choices = choicesOf(isList && isJsonObject(schema['items']) ? schema['items'] : schema)
  const label = [typeof title === 'string' ? title : name, typeof description === 'string' ? description : '']
  const parse = parserOf(type, choices)
  return {
    name,
    label:
      label.filter((part) => part !== '').join(': ') +
      (fallback === undefined ? '' : ` [${formatDefault(fallback)}]`),
    choices,
    isRequired: isRequired && fallback === undefined,
    hint: hintOf(type, choices),
    read(line) {
      const words = line.trim()
      if (words === '') return emptyField(fallback, isRequired)
      if (!isList) return toResult(parse(words))
      const items = words.split(',').map((word) => parse(word.trim()))
      return items.includes(undefined) ? undefined : { value: items as Json }
    },
  }
}

function emptyField(fallback: Json | undefined, isRequired: boolean): ReturnType<TerminalFormField['read']> {
  if (fallback !== undefined) return { value: fallback }
  return isRequired ? undefined : 'none'
}

function toResult(value: Json | undefined): { readonly value: Json } | undefined {
  return value === undefined ? undefined : { value }
}

function formatDefault(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Reads the choices of a schema from `enum`, `enumNames`, `oneOf` or `anyOf`. */
function choicesOf({ enum: values, enumNames, oneOf, anyOf }: JsonObject): readonly FieldChoice[] {
  if (Array.isArray(values)) {
    const titles = Array.isArray(enumNames) ? enumNames : []
    return values.map((value, index) => ({ value: String(value), title: String(titles[index] ?? value) }))
  }
  const titled = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : []
  return titled.flatMap((choice) =>
    isJsonObject(choice) && typeof choice['const'] === 'string'
      ? [
          {
            value: choice['const'],
            title: typeof choice['title'] === 'string' ? choice['title'] : choice['const'],
          },
        ]
      : [],
  )
}

function parserOf(
  type: Json | undefined,
  choices: readonly FieldChoice[],
): (word: string) => Json | undefined {
  if (choices.length > 0) return (word) => matchChoice(word, choices)
  if (type === 'boolean') return yesOrNo
  if (type === 'number' || type === 'integer') return (word) => toNumber(word, type === 'integer')
  return (word) => word
}

function matchChoice(word: string, choices: readonly FieldChoice[]): string | undefined {
  const same = choices.find(({ value, title }) =>
    [value, title].some((text) => text.toLowerCase() === word.toLowerCase()),
  )
  return same?.value ?? (/^\d+$/u.test(word) ? choices[Number(word) - 1]?.value : undefined)
}

function yesOrNo(word: string): boolean | undefined {
  if (/^(?:y|yes|true)$/iu.test(word)) return true
  return /^(?:n|no|false)$/iu.test(word) ? false : undefined
}

function toNumber(word: string, isWhole: boolean): number | undefined {
  const value = Number(word)
  return Number.isFinite(value) && (!isWhole || Number.isInteger(value)) ? value : undefined
}

function hintOf(type: Json | undefined, choices: readonly FieldChoice[]): string {
  if (choices.length > 0) return `1 to ${choices.length}${type === 'array' ? ', separated by commas' : ''}`
  if (type === 'boolean') return 'yes or no'
  if (type === 'number' || type === 'integer') return type === 'integer' ? 'a whole number' : 'a number'
  return 'some text'
}

/**
 * Reads the fields of a form from JSON, each parsed as at the terminal. Throws `usage_invalid` with the
 * invalid field.
 */
export function readForm(form: JsonObject, text: string): JsonObject {
  const answer = parseJson(text)
  const fields = formFields(form)
  if (!isJsonObject(answer)) throw invalid('The answer must be a JSON object', fields)
  for (const name of Object.keys(answer))
    if (!fields.some((field) => field.name === name))
      throw invalid(`The question has no field ${name}`, fields)
  const values: Record<string, Json> = {}
  for (const field of fields) {
    const result = field.read(toLine(Object.hasOwn(answer, field.name) ? answer[field.name] : undefined))
    if (result === undefined) throw invalid(`${field.name} must be ${field.hint}`, fields)
    if (result !== 'none')
      Object.defineProperty(values, field.name, { value: result.value, enumerable: true })
  }
  return values
}

/** Returns a template of an answer with all required fields. */
export function formExample(form: JsonObject): string {
  const needed = formFields(form).filter(({ isRequired }) => isRequired)
  return `{${needed.map(({ name }) => `${JSON.stringify(name)}: …`).join(', ')}}`
}

function invalid(what: string, fields: readonly TerminalFormField[]): Error {
  const all = fields.map(({ name, hint, isRequired }) => `${name} (${hint}${isRequired ? '' : ', optional'})`)
  return troupeError('usage_invalid', `${what}.`, {
    fix: `Answer with a JSON object with the fields ${all.join(', ')}.`,
  })
}

/** Converts a value to the text a user would type. */
function toLine(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map((item) => toLine(item as Json)).join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    // Invalid JSON is reported like a value without fields.
    return undefined
  }
}
