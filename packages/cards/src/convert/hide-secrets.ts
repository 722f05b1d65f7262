import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { dottedPath, type FieldPath } from '../card/problem.ts'

/** The fields of a card without its secrets, and comments that name the variables in their place. */
interface SecretFreeFields {
  readonly fields: JsonObject
  readonly comments: readonly string[]
}

/** Keys that name an environment variable themselves. */
const VARIABLE = /^[A-Za-z_]\w*$/u

/** Replaces texts that come from a file of secrets by variables. */
export function hideSecrets(fields: JsonObject, secrets: readonly FieldPath[] = []): SecretFreeFields {
  if (secrets.length === 0) return { fields, comments: [] }
  const entries = secrets.map((path) => ({ path, name: variableName(path) }))
  const comments = entries.map(
    ({ path, name }) =>
      `#   ${dottedPath(path)}: its value is in a file of secrets; set the variable ${name}`,
  )
  const hidden = entries.reduce<Json>(
    (value, { path, name }) => replaceAt(value, path, `\${${name}}`),
    fields,
  )
  return { fields: hidden as JsonObject, comments: ['# secrets:', ...comments] }
}

function variableName(path: FieldPath): string {
  const key = String(path.at(-1))
  if (path.at(-2) === 'env' && VARIABLE.test(key)) return key
  return path
    .slice(1)
    .join('_')
    .replaceAll(/[^A-Za-z\d]+/gu, '_')
    .replace(/^(?=\d)/u, '_')
    .toUpperCase()
}

function replaceAt(value: Json, path: FieldPath, text: string): Json {
  const [step, ...rest] = path
  if (step === undefined) return text
  if (Array.isArray(value))
    return (value as readonly Json[]).map((item, index) =>
      index === step ? replaceAt(item, rest, text) : item,
    )
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === step ? replaceAt(member, rest, text) : member,
    ]),
  )
}
