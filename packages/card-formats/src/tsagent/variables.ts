import type { Json } from '@troupe/schema'
import { dottedPath, type FieldContext, type FieldPath } from '@troupe/cards/formats'
import { isText } from '../rules/field-rule.ts'

const VARIABLE = /^env:\/\/(?<name>[A-Za-z_]\w*)$/u
const SECRET_STORE = /^op:\/\//u

/** Converts `env://NAME` to `${NAME}`. Other values stay as they are. */
export function variableOf(value: Json): Json {
  const name = isText(value) ? VARIABLE.exec(value)?.groups?.['name'] : undefined
  return name === undefined ? value : `\${${name}}`
}

/** Returns true for a value that only 1Password can resolve, and reports it. */
export function isSecretStore(value: Json, at: FieldPath, { rewriter }: FieldContext): boolean {
  if (!isText(value) || !SECRET_STORE.test(value)) return false
  rewriter.addProblem({
    code: 'card_unsupported',
    message: `\`${dottedPath(at)}\` is a value of 1Password, which Troupe does not read.`,
    at,
    fix: 'Set a variable, for example with `op run -- troupe …`, and write `env://NAME`.',
  })
  return true
}
