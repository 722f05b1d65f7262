import type { Json } from '@troupe/schema'
import type { SchemaResource } from './schema-document.ts'

/**
 * Work limit of one validation, in units of about 10 ns. Validation is synchronous, so this limits how long
 * it blocks the event loop.
 */
export const MAX_WORK = 5_000_000

/** Thrown when a validation exceeds its work limit. */
class WorkExceededError extends Error {
  override readonly name = 'WorkExceededError'
}

/** Counts the work of one validation. Deterministic: the same schema and data always give the same result. */
export class ValidationBudget {
  #left: number
  readonly #message: string

  constructor(units: number, message: string) {
    this.#left = units
    this.#message = message
  }

  /** Throws `WorkExceededError` if the limit is exceeded. Call it before doing the work. */
  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) throw new WorkExceededError(this.#message)
  }
}

/** Maximum number of problems held during a validation, some of them only until another branch matches. */
const MAX_PROBLEMS = 100
/** Maximum depth of nested evaluation, below the depth at which the stack overflows. */
const MAX_DEPTH = 800

/** A compiled keyword. Returns false and records a problem if the value is invalid. */
export type KeywordCheck = (
  value: Json,
  evaluation: SchemaEvaluation,
  seen: SeenMembers | undefined,
) => boolean

/** A compiled schema. Its checks are added once all schemas of the document are known. */
export interface SchemaNode {
  readonly resource: SchemaResource
  /** True if the schema has `unevaluatedItems` or `unevaluatedProperties`. */
  readonly needsSeen: boolean
  checks: readonly KeywordCheck[]
}

/** State of one validation. */
export class SchemaEvaluation {
  readonly budget: ValidationBudget
  readonly problems: string[] = []
  /** Path from the root of the data to the current value. */
  readonly path: (string | number)[] = []
  /** Schema resources in scope, outermost first. Used by `$dynamicRef`. */
  readonly scope: SchemaResource[] = []
  /**
   * Above 0 inside `anyOf`, `oneOf`, `not`, `if`, `contains` and `propertyNames`, where defaults are not
   * filled in.
   */
  conditions = 0
  #depth = 0

  constructor(budget: ValidationBudget) {
    this.budget = budget
  }

  /** Validates a value against a schema. `seen` collects the evaluated members for `unevaluated…`. */
  evaluate(node: SchemaNode, value: Json, seen?: SeenMembers): boolean {
    this.budget.spend(4 + 2 * node.checks.length)
    if (this.#depth === MAX_DEPTH) throw new WorkExceededError('it is nested too deeply')
    const isEntered = this.scope.at(-1) !== node.resource
    this.#depth += 1
    if (isEntered) this.scope.push(node.resource)
    const own = node.needsSeen ? new SeenMembers() : seen
    let fits = true
    for (const check of node.checks) if (!check(value, this, own)) fits = false
    if (own !== undefined && own !== seen) seen?.merge(own, this.budget)
    if (isEntered) this.scope.pop()
    this.#depth -= 1
    return fits
  }

  /** Validates a member of the current value. */
  evaluateMember(node: SchemaNode, key: string | number, value: Json): boolean {
    if (node.checks.length === 0) return true
    this.path.push(key)
    const fits = this.evaluate(node, value)
    this.path.pop()
    return fits
  }

  /** Validates without recording problems or filling in defaults. */
  test(node: SchemaNode, value: Json, seen?: SeenMembers): boolean {
    const before = this.problems.length
    const fits = this.try(node, value, seen)
    this.problems.length = Math.min(before, this.problems.length)
    return fits
  }

  /** Validates without filling in defaults, but records problems. */
  try(node: SchemaNode, value: Json, seen?: SeenMembers): boolean {
    this.conditions += 1
    const fits = this.evaluate(node, value, seen)
    this.conditions -= 1
    return fits
  }

  /** Records a problem with the current value. Always returns false. */
  fail(message: string): false {
    this.budget.spend(50)
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problemText(this.path, message))
    return false
  }
}

/** Members of one object or list that have been evaluated by keywords. */
export class SeenMembers {
  readonly names: Set<string> = new Set()
  readonly indexes: Set<number> = new Set()
  /** All items before this index have been evaluated. */
  upTo = 0

  addNames(names: readonly string[] | ReadonlySet<string>, budget: ValidationBudget): void {
    budget.spend(15 * ('size' in names ? names.size : names.length))
    for (const name of names) this.names.add(name)
  }

  addName(name: string, budget: ValidationBudget): void {
    budget.spend(15)
    this.names.add(name)
  }

  addIndex(index: number, budget: ValidationBudget): void {
    budget.spend(15)
    this.indexes.add(index)
  }

  /** Adds the members evaluated by a matching subschema. */
  merge(other: SeenMembers, budget: ValidationBudget): void {
    this.upTo = Math.max(this.upTo, other.upTo)
    this.addNames(other.names, budget)
    for (const index of other.indexes) this.addIndex(index, budget)
  }
}

const MAX_TEXT = 200

/** Formats a problem: the JSON Pointer of the value and the message, truncated. */
function problemText(path: readonly (string | number)[], message: string): string {
  const pointer = path.map(
    (key) => `/${String(key).slice(0, MAX_TEXT).replaceAll('~', '~0').replaceAll('/', '~1')}`,
  )
  const text = `${pointer.join('')} ${message}`.trim()
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`
}

/** Formats a value for a message. Truncates large values before serialising them. */
export function shownValue(value: unknown): string {
  let left = MAX_TEXT
  const shorten = (each: unknown): unknown => {
    left -= 1
    if (left < 0) return undefined
    if (typeof each === 'string') return each.slice(0, MAX_TEXT)
    if (Array.isArray(each)) return each.slice(0, MAX_TEXT).map(shorten)
    if (typeof each !== 'object' || each === null) return each
    const members: [string, unknown][] = []
    for (const [key, member] of Object.entries(each)) {
      if (left < 0) break
      members.push([key.slice(0, MAX_TEXT), shorten(member)])
    }
    return Object.fromEntries(members)
  }
  return JSON.stringify(shorten(value)) ?? ''
}
