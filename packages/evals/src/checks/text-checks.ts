import type { Json } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import { createValidator } from '@troupe/tools'
import type { FieldsOf } from '../cases/eval-check.ts'
import { answerValue, selectValues } from '../cases/json-path.ts'
import { findPattern, matchesValue } from '../cases/value-matcher.ts'
import { answerOf, shown, type CheckedRun, type CheckFinding } from './check-input.ts'

const validate = createValidator()
/** Most values listed in a message. */
const LISTED = 3

/** Checks that the answer contains a text. */
export function checkContains({ value }: { readonly value: string }, { report }: CheckedRun): CheckFinding {
  return { passed: answerOf(report).includes(value), message: `the answer is ${shown(answerOf(report))}` }
}

/** Checks the answer against a regular expression, in time linear in its length. */
export function checkRegex({ value }: { readonly value: string }, { report }: CheckedRun): CheckFinding {
  const answer = answerOf(report)
  return { passed: findPattern(value)?.test(answer) === true, message: `the answer is ${shown(answer)}` }
}

/** Checks that the answer equals a text or, for any other value, that its JSON does. */
export function checkEquals({ value }: { readonly value: Json }, { report }: CheckedRun): CheckFinding {
  const answer = typeof value === 'string' ? answerOf(report) : answerValue(report.output)
  return { passed: canonicalJson(answer) === canonicalJson(value), message: `the answer is ${shown(answer)}` }
}

/** Checks that the answer is JSON that a schema accepts. */
export function checkSchema(
  { value: schema }: FieldsOf<'json-schema'>,
  { report }: CheckedRun,
): CheckFinding {
  const value = answerValue(report.output)
  if (value === undefined) return { passed: false, message: 'the answer is not JSON' }
  if (typeof schema === 'string') return { passed: false, message: `the schema ${schema} was not read` }
  const result = validate(schema, value)
  return result.ok
    ? { passed: true, message: 'the answer matches the schema' }
    : { passed: false, message: result.problems.join('; ') }
}

/** Checks that a JSONPath selects a value of the answer that meets the condition, if there is one. */
export function checkJsonPath(
  { path, equals, contains, regex }: FieldsOf<'json-path'>,
  { report }: CheckedRun,
): CheckFinding {
  const value = answerValue(report.output)
  if (value === undefined) return { passed: false, message: 'the answer is not JSON' }
  const found = selectValues(path, value)
  const condition: Json | undefined =
    contains === undefined ? (regex === undefined ? undefined : { regex }) : { contains }
  const passed = found.some((each) =>
    equals === undefined
      ? condition === undefined || matchesValue(condition, each)
      : canonicalJson(each) === canonicalJson(equals),
  )
  if (found.length === 0) return { passed, message: `${path} selects nothing` }
  return { passed, message: `${path} selects ${found.slice(0, LISTED).map(shown).join(', ')}` }
}
