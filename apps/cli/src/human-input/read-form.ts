import { isJsonObject, troupeError, type Json, type JsonObject } from '@troupe/schema'
import { formFields, type TerminalFormField } from './form-field.ts'

/**
 * Reads the fields of a form from JSON, each parsed as at the terminal. Throws `usage_invalid` with the
 * invalid field.
 */
export function readForm(form: JsonObject, text: string): JsonObject {
  const given = parsed(text)
  const fields = formFields(form)
  if (!isJsonObject(given)) throw invalid('The question has fields to fill in', fields)
  for (const name of Object.keys(given))
    if (!fields.some((field) => field.name === name))
      throw invalid(`The question has no field ${name}`, fields)
  const values: Record<string, Json> = {}
  for (const field of fields) {
    const said = field.read(toLine(Object.hasOwn(given, field.name) ? given[field.name] : undefined))
    if (said === undefined) throw invalid(`${field.name} must be ${field.hint}`, fields)
    if (said !== 'none') Object.defineProperty(values, field.name, { value: said.value, enumerable: true })
  }
  return values
}

/** Returns a template of an answer with all required fields. */
export function formExample(form: JsonObject): string {
  const needed = formFields(form).filter(({ isRequired }) => isRequired)
  return `{${needed.map(({ name }) => `${JSON.stringify(name)}: …`).join(', ')}}`
}

function invalid(what: string, fields: readonly TerminalFormField[]): Error {
  const all = fields.map(
    ({ name, hint, isRequired }) => `${name} (${hint}${isRequired ? '' : ', may be left out'})`,
  )
  return troupeError('usage_invalid', `${what}.`, { fix: `Answer with a JSON object of ${all.join(', ')}.` })
}

/** Converts a value to the text a user would type. */
function toLine(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map((item) => toLine(item as Json)).join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    // Invalid JSON is reported like a value without fields.
    return undefined
  }
}
