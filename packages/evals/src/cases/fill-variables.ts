import { isJsonObject, getOwn, type Json } from '@troupe/schema'

const PLACEHOLDER = /\{\{\s*([\w.-]{1,100})\s*\}\}/gu

/** Values of `{{name}}` in the texts of a case. */
export type CaseVariables = Readonly<Record<string, string | number | boolean>>

/**
 * Replaces `{{name}}` in every text of a value. Inserted text is not scanned again. `onUnknown` is called with
 * each name that has no value.
 */
export function fillVariables<Value extends Json>(
  value: Value,
  variables: CaseVariables,
  onUnknown: (name: string) => void,
): Value {
  return fill(value, variables, onUnknown) as Value
}

function fill(value: Json, variables: CaseVariables, onUnknown: (name: string) => void): Json {
  if (typeof value === 'string')
    return value.replaceAll(PLACEHOLDER, (written, name: string) => {
      const found = getOwn(variables, name)
      if (found === undefined) onUnknown(name)
      return found === undefined ? written : String(found)
    })
  if (Array.isArray(value))
    return (value as readonly Json[]).map((member) => fill(member, variables, onUnknown))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fill(member, variables, onUnknown)]),
  )
}
