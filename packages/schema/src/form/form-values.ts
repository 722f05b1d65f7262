import type { Json, JsonObject } from '../json.ts'
import type { FormField } from './form-field.ts'

/** What a form holds before anything was typed: defaults, the only value there can be, and lists and groups that have to be there. */
export function formValues(fields: readonly FormField[]): JsonObject {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = valueOf(field)
      return value === undefined ? [] : [[field.name, value] as const]
    }),
  )
}

function valueOf(field: FormField): Json | undefined {
  if (field.default !== undefined) return field.default
  if (!field.required) return undefined
  switch (field.kind) {
    case 'choice':
      return field.options.length === 1 ? field.options[0] : undefined
    case 'group':
      return formValues(field.fields)
    case 'list':
      return (field.minItems ?? 0) === 0 ? [] : undefined
    default:
      return undefined
  }
}
