import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { agentFieldsSchema, type ParsedAgentFields } from '@troupe/schema/agent-keys'
import type { z } from 'zod'
import { dottedPath, quotedPath, type FieldPath, type ProblemDraft } from '../card/problem.ts'
import { expectedAt, explainIssue } from '../fields/explain-issue.ts'
import { suggestKey } from '../fields/suggest-key.ts'
import type { CardFormat, Translation } from '../formats/card-format.ts'
import { originOf } from '../formats/rewriter.ts'

/** The validated fields of a card, or its problems. */
export interface CheckedFields {
  /** `undefined` if there is any problem. */
  readonly fields: ParsedAgentFields | undefined
  readonly problems: readonly ProblemDraft[]
}

/** Further problems of a card are only counted, because a hostile card could have thousands. */
const MOST_PROBLEMS = 100

interface FieldCheck {
  readonly translation: Translation
  readonly cardFormat: CardFormat
}

/** A problem that is explained on demand. */
interface Finding {
  readonly path: FieldPath
  explain(at: FieldPath): ProblemDraft
}

/**
 * Validates translated fields against the schema of agents, and rejects values that only code may provide.
 */
export function checkFields(translation: Translation, cardFormat: CardFormat): CheckedFields {
  const code = findCodeOnlyEntries(translation.fields)
  const parsed = agentFieldsSchema.safeParse(translation.fields)
  if (parsed.success && code.length === 0) return { fields: parsed.data, problems: [] }
  const seen = new Set(code.map((finding) => dottedPath(finding.path)))
  const issues = (parsed.error?.issues ?? []).flatMap((issue) =>
    toFindings(issue, { translation, cardFormat }),
  )
  const findings = [...code, ...issues.filter((finding) => !seen.has(dottedPath(finding.path)))]
  const problems = findings
    .slice(0, MOST_PROBLEMS)
    .map((finding) => finding.explain(originOf(translation.origins, finding.path)))
  return { fields: undefined, problems: [...problems, ...furtherProblems(findings.slice(MOST_PROBLEMS))] }
}

/** Finds entries that only code may provide: in a file, tools, hooks and children are named by text. */
function findCodeOnlyEntries(fields: JsonObject): readonly Finding[] {
  return ['agents', 'functionTools', 'loopHooks']
    .flatMap((key) => entriesOf(fields, key))
    .filter(([path, value]) => typeof value === 'object' && value !== null && !isFunctionUse(path, value))
    .map(([path]) => ({
      path,
      explain: (at) => badValue(at, `must be ${expectedAt(path) ?? 'text'}, not a mapping or a list`),
    }))
}

/** Returns true for a function with `use`, which is allowed in a file. */
function isFunctionUse([key]: FieldPath, value: Json): boolean {
  return key === 'functionTools' && isJsonObject(value) && Object.hasOwn(value, 'use')
}

function entriesOf(fields: JsonObject, key: string): readonly (readonly [FieldPath, Json])[] {
  const container = getOwn(fields, key)
  if (Array.isArray(container)) return (container as readonly Json[]).map((value, at) => [[key, at], value])
  return isJsonObject(container) ? Object.entries(container).map(([at, value]) => [[key, at], value]) : []
}

function toFindings(issue: z.core.$ZodIssue, { translation, cardFormat }: FieldCheck): readonly Finding[] {
  const path = issue.path as FieldPath
  if (issue.code !== 'unrecognized_keys') {
    const explain = (at: FieldPath): ProblemDraft =>
      badValue(at, explainIssue(issue, valueAt(translation.fields, path)))
    return [{ path, explain }]
  }
  return issue.keys.map((key) => ({
    path: [...path, key],
    explain: (at) => unknownKey(at, suggestKey({ path, key }, cardFormat.aliases)),
  }))
}

function badValue(at: FieldPath, what: string): ProblemDraft {
  const sentence = what.endsWith('?') ? what : `${what}.`
  return { code: 'card_bad_value', message: `${quotedPath(at)} ${sentence}`, at }
}

function unknownKey(at: FieldPath, near: string | undefined): ProblemDraft {
  const question = near === undefined ? '.' : `; did you mean \`${near}\`?`
  return { code: 'card_unknown_key', message: `Unknown key ${quotedPath(at)}${question}`, at }
}

function furtherProblems(findings: readonly Finding[]): readonly ProblemDraft[] {
  const last = findings.at(-1)
  if (last === undefined) return []
  return [{ code: 'card_bad_value', message: `There are ${findings.length} more problems.`, at: last.path }]
}

function valueAt(value: Json, path: FieldPath): Json | undefined {
  return path.reduce<Json | undefined>((found, step) => {
    if (typeof step === 'number') return Array.isArray(found) ? (found as readonly Json[])[step] : undefined
    return isJsonObject(found) ? getOwn(found, step) : undefined
  }, value)
}
