import { isJsonObject, type Json } from '@troupe/schema'
import { REASONING_LEVELS } from '@troupe/schema/agent-keys'
import { closest } from '@troupe/schema/text'
import type { z } from 'zod'
import type { FieldPath } from '../card/problem.ts'

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
  if (value === null) return 'has no value; set one or remove the key'
  const words = expectedAt(path) ?? expected(issue)
  return words === undefined
    ? `is not valid: ${issue.message}`
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

const SPEC = 'text of the form `module.ts:function`'
const DURATION = 'a number of ms or text such as "120s" or "5m"'
const SCHEMA = 'a JSON Schema, or the path of a JSON file that contains one'

/**
 * Descriptions of expected values, where the schema only has a list of alternatives. `*` is any key or index.
 */
const EXPECTED: ReadonlyMap<string, string> = new Map([
  ['reasoning', `one of ${REASONING_LEVELS.join(', ')}, or a number of tokens`],
  ['minRating', 'a rating such as `GOOD`, or a number'],
  ['version', 'text of the form `1.4.0` (semver)'],
  ['model', 'text such as `openai/gpt-5-mini`, or a list of such texts'],
  ['tools', 'a list of names, a mapping of servers to lists of names, or of names to true or false'],
  ['agents.*', 'the name or the path of an agent'],
  ['functionTools.*', `${SPEC}, or a mapping with it as \`use\``],
  ['toolHooks.*', `${SPEC}, the name of a stock hook, or a mapping with \`use\``],
  ['loopHooks.*', SPEC],
  [
    'guard.*.*',
    '`troupe:name`, `module.ts:function`, or a mapping with `use` or `agent` and with `action` (deny, redact, ask or note)',
  ],
  ['input.schema', SCHEMA],
  ['output.schema', SCHEMA],
  ['acquire', '`fresh` or `{pool: N}`'],
  ['toolPrefix', 'true, false or text'],
  ['mcpServers.*.requiresApproval', 'true, false or a list of tool names'],
  ['mcpServers.*.toolTimeout', DURATION],
  ['exports.tools.*.parameters', 'a JSON Schema'],
])

/**
 * Returns a description of the value expected at a path, or `undefined` if the schema describes it well
 * enough.
 */
export function expectedAt(path: FieldPath): string | undefined {
  if (path.length === 2 && path[0] === 'limits' && /timeout$/iu.test(String(path[1]))) return DURATION
  for (const [pattern, words] of EXPECTED) if (isMatch(pattern.split('.'), path)) return words
  return undefined
}

function isMatch(pattern: readonly string[], path: FieldPath): boolean {
  return (
    pattern.length === path.length && pattern.every((step, index) => step === '*' || step === path[index])
  )
}
