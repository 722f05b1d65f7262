import { canonicalJson, getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { FieldReport } from '../card-types.ts'
import { dotted, quoted, type FieldPath } from '../fields/field-path.ts'
import type { ProblemDraft } from '../problem.ts'
import type { Translation } from './dialect.ts'

/** Builds a translation key by key. What was written stays as it is; what comes out is new. */
export interface Rewriter {
  get(path: FieldPath): Json | undefined
  /** Sets a value that stands at `from` in the file. Another value that is already there is a conflict. */
  put(to: FieldPath, value: Json, from: FieldPath): void
  /** Says where a part of a value that was put stands in the file. */
  locate(path: FieldPath, from: FieldPath): void
  /** Takes a value out again. */
  remove(path: FieldPath): void
  /** Says what became of a key; a later word on the same key replaces the earlier one. */
  note(report: FieldReport): void
  /** Tells of something wrong or doubtful. */
  tell(problem: ProblemDraft): void
  /** Where the value of a path stands in the file. */
  originOf(path: FieldPath): FieldPath
  finish(): Translation
}

/** What a rewriter begins with. */
export interface RewriterStart {
  /** The keys that need no translation. Whatever is written into is copied first: these stay untouched. */
  readonly fields: JsonObject
  readonly report: readonly FieldReport[]
  /** What was moved before. */
  readonly origins?: Translation['origins']
  readonly problems?: readonly ProblemDraft[]
  /** True for values of a path that mean the same though they are written differently. */
  sameValue(a: Json, b: Json, path: FieldPath): boolean
}

/** A rewriter that has only kept things so far. */
export function createRewriter(start: RewriterStart): Rewriter {
  let root = start.fields
  const notes = new Map<string, FieldReport>()
  const problems: ProblemDraft[] = [...(start.problems ?? [])]
  const origins = new Map<string, FieldPath>(start.origins)
  const rewriter: Rewriter = {
    get: (path) => valueAt(root, path),
    put: (to, value, from) => {
      const present = valueAt(root, to)
      if (present === undefined) {
        root = withValue(root, to, value)
        if (dotted(to) !== dotted(from)) origins.set(dotted(to), from)
        return
      }
      if (canonicalJson(present) === canonicalJson(value) || start.sameValue(present, value, to)) return
      problems.push(conflict(from, rewriter.originOf(to)))
    },
    locate: (path, from) => {
      origins.set(dotted(path), from)
    },
    remove: (path) => {
      root = withValue(root, path, undefined)
    },
    note: (entry) => {
      notes.set(entry.key, entry)
    },
    tell: (problem) => {
      problems.push(problem)
    },
    originOf: (path) => originOf(origins, path),
    finish: () => ({ fields: root, report: withNotes(start.report, notes), problems, origins }),
  }
  return rewriter
}

/** The path as written for a path of a translation: the longest moved prefix counts. */
export function originOf(origins: ReadonlyMap<string, FieldPath>, path: FieldPath): FieldPath {
  if (origins.size === 0) return path
  for (let length = path.length; length > 0; length -= 1) {
    const origin = origins.get(dotted(path.slice(0, length)))
    if (origin !== undefined) return [...origin, ...path.slice(length)]
  }
  return path
}

function withNotes(
  report: readonly FieldReport[],
  notes: ReadonlyMap<string, FieldReport>,
): readonly FieldReport[] {
  if (notes.size === 0) return report
  return [...report.filter((entry) => !notes.has(entry.key)), ...notes.values()]
}

function conflict(alias: FieldPath, key: FieldPath): ProblemDraft {
  return {
    code: 'card_alias_conflict',
    message: `${quoted(alias)} and ${quoted(key)} mean the same and have different values.`,
    at: alias,
  }
}

function valueAt(value: Json, path: FieldPath): Json | undefined {
  return path.reduce<Json | undefined>(
    (found, step) => (isJsonObject(found) ? getOwn(found, String(step)) : undefined),
    value,
  )
}

/** A copy with one value set, or left out. What is no mapping on the way stays as it is: the schema complains of it. */
function withValue(object: JsonObject, path: FieldPath, value: Json | undefined): JsonObject {
  const [step, ...rest] = path.map(String)
  if (step === undefined) return object
  if (rest.length > 0) {
    const inner = getOwn(object, step) ?? {}
    return isJsonObject(inner) ? { ...object, [step]: withValue(inner, rest, value) } : object
  }
  if (value !== undefined) return { ...object, [step]: value }
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== step))
}
