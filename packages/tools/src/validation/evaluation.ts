import type { Json } from '@troupe/schema'
import { problemText } from './problem-text.ts'
import type { SchemaResource } from './schema-document.ts'
import { WorkExceededError, type WorkBudget } from './work-budget.ts'

/** Texts that one validation keeps. Branches that fail on the way to a match use some for a time. */
const MAX_PROBLEMS = 100
/** Levels of schemas applied inside schemas: below the depth at which the stack overflows. */
const MAX_DEPTH = 800

/** A compiled keyword of a schema. False: the value does not fit, and the evaluation has a problem of it. */
export type Check = (value: Json, evaluation: Evaluation, seen: SeenMembers | undefined) => boolean

/** A compiled schema. Its checks are filled in after all schemas of its document are known. */
export interface SchemaNode {
  readonly resource: SchemaResource
  /** The schema has `unevaluatedItems` or `unevaluatedProperties`. */
  readonly needsSeen: boolean
  checks: readonly Check[]
}

/** The state of one validation. */
export class Evaluation {
  readonly budget: WorkBudget
  readonly problems: string[] = []
  /** Keys from the root of the data to the value that is being checked. */
  readonly path: (string | number)[] = []
  /** The schema resources that were entered, outermost first; `$dynamicRef` looks into them. */
  readonly scope: SchemaResource[] = []
  /** Above 0 inside `anyOf`, `oneOf`, `not`, `if`, `contains` and `propertyNames`: no defaults are filled in there. */
  conditions = 0
  #depth = 0

  constructor(budget: WorkBudget) {
    this.budget = budget
  }

  /** Checks a value against a schema. `seen` collects the members that were evaluated, for `unevaluated…`. */
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

  /** The same for a value inside the one that is being checked. */
  evaluateMember(node: SchemaNode, key: string | number, value: Json): boolean {
    if (node.checks.length === 0) return true
    this.path.push(key)
    const fits = this.evaluate(node, value)
    this.path.pop()
    return fits
  }

  /** The same where failing is no problem of the value: problems are dropped and no defaults are filled in. */
  test(node: SchemaNode, value: Json, seen?: SeenMembers): boolean {
    const before = this.problems.length
    const fits = this.try(node, value, seen)
    this.problems.length = Math.min(before, this.problems.length)
    return fits
  }

  /** The same, keeping the problems of a value that does not fit. */
  try(node: SchemaNode, value: Json, seen?: SeenMembers): boolean {
    this.conditions += 1
    const fits = this.evaluate(node, value, seen)
    this.conditions -= 1
    return fits
  }

  /** Notes a problem of the value that is being checked. Always false. */
  fail(message: string): false {
    this.budget.spend(50)
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problemText(this.path, message))
    return false
  }
}

/** The members of one object or list that keywords in place have evaluated. */
export class SeenMembers {
  readonly names: Set<string> = new Set()
  readonly indexes: Set<number> = new Set()
  /** Items before this index. */
  upTo = 0

  addNames(names: readonly string[] | ReadonlySet<string>, budget: WorkBudget): void {
    budget.spend(15 * ('size' in names ? names.size : names.length))
    for (const name of names) this.names.add(name)
  }

  addName(name: string, budget: WorkBudget): void {
    budget.spend(15)
    this.names.add(name)
  }

  addIndex(index: number, budget: WorkBudget): void {
    budget.spend(15)
    this.indexes.add(index)
  }

  /** Takes over what a matching subschema has evaluated. */
  merge(other: SeenMembers, budget: WorkBudget): void {
    this.upTo = Math.max(this.upTo, other.upTo)
    this.addNames(other.names, budget)
    for (const index of other.indexes) this.addIndex(index, budget)
  }
}
