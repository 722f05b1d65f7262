import { sumUsage, NO_USAGE, type RunProblem, type RunProblems, type Usage } from '@troupe/schema'
import { MAX_PROBLEMS, type Account } from '@troupe/schema/ports'

/** Account of one run: its own usage and that of its descendants, by agent name. */
export interface RunAccount extends Account {
  total(): Usage
  /** Returns each agent's own usage. The rows sum to `total()`. */
  byAgent(): Readonly<Record<string, Usage>>
  unpriced(): readonly string[]
  problems(): RunProblems
  /** The same account without its parent accounts. For entries that those have already counted. */
  readonly own: Account
}

/**
 * Creates an account that forwards each entry to `parent` at once, so that nothing is lost however a run ends.
 */
export function createAccount(parent?: Account): RunAccount {
  return new RollingAccount(parent)
}

/** A class to save memory: every waiting child has one. Rows are created with the first entry. */
class RollingAccount implements RunAccount {
  readonly #parent: Account | undefined
  #rows: Map<string, MutableUsage> | undefined
  #unpriced: Set<string> | undefined
  #problems: RunProblem[] | undefined
  #problemCount = 0

  constructor(parent: Account | undefined) {
    this.#parent = parent
  }

  add(agent: string, usage: Usage, unpricedModel?: string): void {
    this.#enter(agent, usage, unpricedModel)
    this.#parent?.add(agent, usage, unpricedModel)
  }

  addProblem(problem: RunProblem): void {
    this.#list(problem)
    this.#parent?.addProblem(problem)
  }

  get own(): Account {
    return {
      add: (agent, usage, unpricedModel) => this.#enter(agent, usage, unpricedModel),
      addProblem: (problem) => this.#list(problem),
    }
  }

  total(): Usage {
    return sumUsage(this.#rows?.values() ?? [])
  }

  byAgent(): Readonly<Record<string, Usage>> {
    const copies: [string, Usage][] = []
    for (const [agent, row] of this.#rows ?? []) copies.push([agent, { ...row }])
    return Object.fromEntries(copies)
  }

  unpriced(): readonly string[] {
    return [...(this.#unpriced ?? [])]
  }

  problems(): RunProblems {
    return { problems: [...(this.#problems ?? [])], problemCount: this.#problemCount }
  }

  #enter(agent: string, usage: Usage, unpricedModel: string | undefined): void {
    this.#rows ??= new Map()
    const row = this.#rows.get(agent)
    if (row === undefined) this.#rows.set(agent, { ...usage })
    else increase(row, usage)
    if (unpricedModel !== undefined) (this.#unpriced ??= new Set()).add(unpricedModel)
  }

  #list(problem: RunProblem): void {
    this.#problemCount += 1
    this.#problems ??= []
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem)
  }
}

type MutableUsage = { -readonly [K in keyof Usage]: Usage[K] }

/** Adds in place, because every call of every descendant is added once per level. */
function increase(row: MutableUsage, usage: Usage): void {
  row.input += usage.input
  row.output += usage.output
  row.cacheRead += usage.cacheRead
  row.cacheWrite += usage.cacheWrite
  row.reasoning += usage.reasoning
  row.micros += usage.micros
  row.modelCalls += usage.modelCalls
  row.toolCalls += usage.toolCalls
  row.unpriced += usage.unpriced
  row.estimated += usage.estimated
}

/** Usage of one tool call. */
export const ONE_TOOL_CALL: Usage = Object.freeze({ ...NO_USAGE, toolCalls: 1 })
