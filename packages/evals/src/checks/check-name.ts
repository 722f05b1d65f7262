import type { EvalCheck } from '../cases/eval-check.ts'

const LONGEST = 120

/** Describes an expectation as one line, such as `contains "nine"`. */
export function checkName({ fields, not }: EvalCheck): string {
  const { type, ...rest } = fields
  const values = 'value' in rest ? [JSON.stringify(rest.value)] : Object.entries(rest).map(toWords)
  const name = [`${not ? 'not-' : ''}${type}`, ...values].join(' ').replaceAll(/\s+/gu, ' ')
  return name.length > LONGEST ? `${name.slice(0, LONGEST).toWellFormed()}…` : name
}

function toWords([key, value]: readonly [string, unknown]): string {
  return `${key} ${JSON.stringify(value)}`
}
