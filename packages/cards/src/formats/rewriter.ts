import { getOwn, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import type { FieldReport } from '../card/card-types.ts'
import { dottedPath, quotedPath, type FieldPath, type ProblemDraft } from '../card/problem.ts'
import type { Translation } from './card-format.ts'

/** Builds a translation key by key. The input is not modified. */
export interface Rewriter {
  get(path: FieldPath): Json | undefined
  /** Sets a value that was written at `from`. Setting a path twice with different values is a conflict. */
  put(to: FieldPath, value: Json, from: FieldPath): void
  /** Records where a part of a value was written. */
  locate(path: FieldPath, from: FieldPath): void
  /** Removes a value. */
  remove(path: FieldPath): void
  /** Reports how a key was interpreted, replacing an earlier report of the same key. */
  note(report: FieldReport): void
  /** Adds a problem. */
  addProblem(problem: ProblemDraft): void
  /** Defines a provider, with the keys of `providers` in troupe.json. The first definition of a name applies. */
  addProvider(name: string, settings: JsonObject): void
  /** Marks a text that comes from a file of secrets. */
  markSecret(path: FieldPath): void
  /** Returns the path at which a value was written. */
  originOf(path: FieldPath): FieldPath
  finish(): Translation
}

/** The initial state of a rewriter. */
export interface RewriterStart {
  /** The keys that need no translation. They are copied before they are changed. */
  readonly fields: JsonObject
  readonly report: readonly FieldReport[]
  /** Origins of values that were moved already. */
  readonly origins?: Translation['origins']
  readonly problems?: readonly ProblemDraft[]
  /** Returns true if two different values of a path mean the same. */
  sameValue(a: Json, b: Json, path: FieldPath): boolean
}

/** Creates a rewriter. */
export function createRewriter(start: RewriterStart): Rewriter {
  let root = start.fields
  const notes = new Map<string, FieldReport>()
  const problems: ProblemDraft[] = [...(start.problems ?? [])]
  const origins = new Map<string, FieldPath>(start.origins)
  const providers = new Map<string, JsonObject>()
  const secrets: FieldPath[] = []
  const rewriter: Rewriter = {
    get: (path) => valueAt(root, path),
    put: (to, value, from) => {
      const present = valueAt(root, to)
      if (present === undefined) {
        root = withValue(root, to, value)
        if (dottedPath(to) !== dottedPath(from)) origins.set(dottedPath(to), from)
        return
      }
      if (canonicalJson(present) === canonicalJson(value) || start.sameValue(present, value, to)) return
      problems.push(conflict(from, rewriter.originOf(to)))
    },
    locate: (path, from) => {
      origins.set(dottedPath(path), from)
    },
    remove: (path) => {
      root = withValue(root, path, undefined)
    },
    note: (entry) => {
      notes.set(entry.key, entry)
    },
    addProblem: (problem) => {
      problems.push(problem)
    },
    addProvider: (name, settings) => {
      if (!providers.has(name)) providers.set(name, settings)
    },
    markSecret: (path) => {
      secrets.push(path)
    },
    originOf: (path) => originOf(origins, path),
    finish: () => ({
      fields: root,
      report: withNotes(start.report, notes),
      problems,
      origins,
      ...(providers.size === 0 ? {} : { providers: Object.fromEntries(providers) }),
      ...(secrets.length === 0 ? {} : { secrets }),
    }),
  }
  return rewriter
}

/** Returns the path as written for a path of a translation. The longest moved prefix applies. */
export function originOf(origins: ReadonlyMap<string, FieldPath>, path: FieldPath): FieldPath {
  if (origins.size === 0) return path
  for (let length = path.length; length > 0; length -= 1) {
    const origin = origins.get(dottedPath(path.slice(0, length)))
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
    message: `${quotedPath(alias)} and ${quotedPath(key)} are the same key but have different values.`,
    at: alias,
  }
}

function valueAt(value: Json, path: FieldPath): Json | undefined {
  return path.reduce<Json | undefined>(
    (found, step) => (isJsonObject(found) ? getOwn(found, String(step)) : undefined),
    value,
  )
}

/**
 * Returns a copy with one value set or removed. If the path leads through something other than a mapping,
 * that stays as it is and the schema rejects it.
 */
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

/** Adds entries to a list without duplicates and records where they were written. */
export function addToList(
  rewriter: Rewriter,
  list: { readonly to: FieldPath; readonly values: readonly Json[]; readonly from: FieldPath },
): void {
  const { to, values, from } = list
  const present = rewriter.get(to)
  const before: readonly Json[] = Array.isArray(present) ? (present as readonly Json[]) : []
  const known = new Set(before.map((value) => canonicalJson(value)))
  const added = values.filter((value) => {
    const text = canonicalJson(value)
    const isNew = !known.has(text)
    known.add(text)
    return isNew
  })
  if (added.length === 0) return
  if (before.length > 0) rewriter.remove(to)
  rewriter.put(to, [...before, ...added], from)
  for (const index of added.keys()) rewriter.locate([...to, before.length + index], from)
}
