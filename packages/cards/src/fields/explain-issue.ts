import { isJsonObject, type Json } from '@troupe/schema'
import type { z } from 'zod'
import { closest } from '@troupe/schema'
import { expectedAt } from './expected.ts'
import type { FieldPath } from './field-path.ts'

type FieldIssue = z.core.$ZodIssue

const KINDS: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a mapping'],
  ['record', 'a mapping'],
])
const LONGEST_SHOWN = 60

/** Describes an invalid value of a key in the vocabulary of cards, as the end of a sentence. */
export function explainIssue(issue: FieldIssue, value: Json | undefined): string {
  const path = issue.path as FieldPath
  if (value === undefined && issue.code === 'invalid_type') return 'is missing'
  if (value === null) return 'has no value: give it one or remove the key'
  const words = expectedAt(path) ?? expected(issue)
  return words === undefined
    ? `is not right: ${issue.message}`
    : `must be ${words}, not ${show(value, path)}${suggestValue(issue, value)}`
}

function expected(issue: FieldIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return KINDS.get(issue.expected) ?? issue.expected
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return bound(issue.origin, issue.minimum, { word: 'least', inclusive: issue.inclusive })
    case 'too_big':
      return bound(issue.origin, issue.maximum, { word: 'most', inclusive: issue.inclusive })
    default:
      return undefined
  }
}

function bound(
  origin: string,
  limit: number | bigint,
  how: { readonly word: 'least' | 'most'; readonly inclusive: boolean | undefined },
): string {
  if (origin === 'string')
    return how.word === 'least' ? 'text that is not empty' : `text of at most ${limit} characters`
  if (origin === 'array') return `a list of at ${how.word} ${limit}`
  if (how.inclusive === false) return how.word === 'least' ? `more than ${limit}` : `less than ${limit}`
  return `at ${how.word} ${limit}`
}

function suggestValue(issue: FieldIssue, value: Json | undefined): string {
  if (issue.code !== 'invalid_value' || typeof value !== 'string') return ''
  const near = closest(value, issue.values.map(String))
  return near === undefined ? '' : `; did you mean \`${near}\`?`
}

/** Describes a value. Values in `env` and `headers` are not shown, because they may be secrets. */
function show(value: Json | undefined, path: FieldPath): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (isJsonObject(value)) return 'a mapping'
  if (path.includes('env') || path.includes('headers')) return `a ${typeof value}`
  if (typeof value !== 'string') return JSON.stringify(value)
  return `the text ${JSON.stringify(value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}…` : value)}`
}
