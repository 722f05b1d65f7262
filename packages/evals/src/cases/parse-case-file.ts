import { readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CardPosition, CardProblem, JsonReadResult } from '@troupe/cards'
import { schemaProblem } from '@troupe/tools'
import { errorMessage, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { isBelow } from '@troupe/schema/paths'
import { closest } from '@troupe/schema/text'
import type { z } from 'zod'
import { caseFileSchema, knownCaseKeys, type CaseContent, type CaseFileContent } from './case-schema.ts'
import type { EvalCase, EvalFile } from './eval-case.ts'
import { lowerFirst, parseCheck, type EvalCheck } from './eval-check.ts'
import { fillVariables } from './fill-variables.ts'
import { jsonPathProblem } from './json-path.ts'
import { findPattern, invalidPatterns } from './value-matcher.ts'

/** A case file whose YAML was read. */
interface CaseFileSource extends Extract<JsonReadResult, { readonly value: unknown }> {
  readonly path: string
  readonly folder: string
}

/** Repeats of a case if neither it nor the defaults say how many. */
const DEFAULT_REPEAT = 1

type CasePath = readonly (string | number)[]
type Report = (path: CasePath, message: string) => void

/** Checks the content of a case file. Without a file there is at least one problem. */
export function parseCaseFile(source: CaseFileSource): {
  readonly file?: EvalFile
  readonly problems: readonly CardProblem[]
  /** Positions of the cases by id. */
  readonly positions: ReadonlyMap<string, CardPosition | undefined>
} {
  const problems: CardProblem[] = []
  const report: Report = (path, message) =>
    void problems.push({
      severity: 'error',
      code: 'eval_invalid',
      message,
      file: source.path,
      ...source.positionOf(path),
    })
  const positions = new Map<string, CardPosition | undefined>()
  const parsed = caseFileSchema.safeParse(source.value ?? {})
  if (!parsed.success) {
    for (const issue of parsed.error.issues) reportIssue(issue, report)
    return { problems, positions }
  }
  const content = parsed.data
  const cases = content.cases.map((each, index) => {
    const path = ['cases', index] as const
    if (positions.has(each.id)) report([...path, 'id'], `the case \`${each.id}\` is already in the file`)
    positions.set(each.id, source.positionOf([...path, 'id']))
    return toCase(each, { path, report, folder: source.folder, defaults: content.defaults ?? {} })
  })
  if (problems.length > 0) return { problems, positions }
  const { path, folder } = source
  const calibration = content.calibration ?? []
  return { file: { path, folder, agent: content.agent, cases, calibration }, problems, positions }
}

/** Reports an issue of the schema, with a suggestion for each unknown key. */
function reportIssue(issue: z.core.$ZodIssue, report: Report): void {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  if (issue.code !== 'unrecognized_keys')
    return report(path, `${path.length === 0 ? '' : `${path.join('.')}: `}${lowerFirst(issue.message)}`)
  for (const key of issue.keys) {
    const near = closest(key, knownCaseKeys(path))
    const hint = near === undefined ? '' : `; did you mean \`${near}\`?`
    report([...path, key], `unknown key \`${key.slice(0, 100)}\`${hint}`)
  }
}

interface CaseParsing {
  readonly path: CasePath
  readonly report: Report
  readonly folder: string
  readonly defaults: NonNullable<CaseFileContent['defaults']>
}

function toCase(content: CaseContent, parsing: CaseParsing): EvalCase {
  const { vars, defaults, report, path } = { vars: content.vars, ...parsing }
  const fill = <Value extends Json>(value: Value, key: string): Value =>
    vars === undefined
      ? value
      : fillVariables(value, vars, (name) => report([...path, key], `{{${name}}} is not in \`vars\``))
  const { input = '', messages = [] } = content
  const conversation = messages.map(({ role, text }) => ({ role, text: fill(text, 'messages') }))
  const {
    repeat = defaults.repeat ?? DEFAULT_REPEAT,
    timeout = defaults.timeout,
    budget = defaults.budget,
  } = content
  for (const [index, file] of (content.files ?? []).entries())
    if (!isInFolder(file, parsing.folder))
      report([...path, 'files', index], `${file} is not a file in the folder of the case file`)
  const stubs = Object.entries(content.stubs?.tools ?? {})
  for (const [name, stub] of stubs)
    for (const pattern of invalidPatterns(stub))
      report([...path, 'stubs', 'tools', name], badPattern(pattern))
  return {
    id: content.id,
    ...(content.description === undefined ? {} : { description: content.description }),
    input: content.input === undefined ? (conversation.at(-1)?.text ?? '') : fill(input, 'input'),
    earlier: conversation.slice(0, -1),
    files: content.files ?? [],
    stubs: new Map(stubs.map(([name, stub]) => [name, [stub].flat()])),
    checks: fill(content.assert as Json & readonly Json[], 'assert').flatMap((item, index) =>
      toCheck(item, { ...parsing, path: [...path, 'assert', index] }),
    ),
    repeat,
    ...(timeout === undefined ? {} : { timeout }),
    ...(budget === undefined ? {} : { budget }),
  }
}

function toCheck(item: Json, parsing: CaseParsing): readonly EvalCheck[] {
  const { path, report } = parsing
  const check = parseCheck(item)
  if (!('fields' in check)) {
    for (const { key, message } of check) report(key === undefined ? path : [...path, key], message)
    return []
  }
  const { fields } = check
  if (fields.type === 'json-schema') {
    const schema = readSchema(fields.value, parsing)
    const problem = typeof schema === 'string' ? schema : schemaProblem(schema)
    if (problem === undefined) return [{ ...check, fields: { ...fields, value: schema } }]
    report(path, `json-schema: ${problem}`)
    return []
  }
  const problem = fieldProblem(check)
  if (problem !== undefined) report(path, `${fields.type}: ${problem}`)
  return [check]
}

function fieldProblem({ fields }: EvalCheck): string | undefined {
  if (fields.type === 'regex')
    return findPattern(fields.value) === undefined ? badPattern(fields.value) : undefined
  if (fields.type === 'json-path') {
    const problem = jsonPathProblem(fields.path)
    if (problem !== undefined) return problem
  }
  const [pattern] = invalidPatterns(fields)
  return pattern === undefined ? undefined : badPattern(pattern)
}

function badPattern(pattern: string): string {
  return `the regular expression \`${pattern.slice(0, 100)}\` is not valid, too long, or uses lookarounds or backreferences, which are not supported`
}

/** Returns a schema, or the reason why it cannot be read. */
function readSchema(value: string | JsonObject, { folder }: CaseParsing): JsonObject | string {
  if (typeof value !== 'string') return value
  if (!isInFolder(value, folder)) return `${value} is not a file in the folder of the case file`
  try {
    const schema: unknown = JSON.parse(readFileSync(resolve(folder, value), 'utf8'))
    return isJsonObject(schema) ? schema : `${value} does not contain a JSON object`
  } catch (thrown) {
    return `${value}: ${errorMessage(thrown)}`
  }
}

/** Returns true for an existing file in the folder. Resolves links first, so that none leads out of it. */
function isInFolder(path: string, folder: string): boolean {
  try {
    return isBelow(realpathSync(folder), realpathSync(resolve(folder, path)))
  } catch {
    // the file does not exist
    return false
  }
}
