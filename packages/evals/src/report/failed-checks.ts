import type { EvalCaseReport } from './eval-report.ts'

/** A check that failed, or an error that occurred, in one or more repeats of a case. */
export interface CaseProblem {
  /** `note` is a failed check that does not decide. */
  readonly kind: 'failure' | 'error' | 'note'
  /** Name of the check, or code of the error. */
  readonly name: string
  /** Reason in the first of the repeats. */
  readonly message?: string
  /** Number of repeats with this problem. */
  readonly count: number
}

const KINDS = ['failure', 'error', 'note'] as const

/** An error within the team counts as a failure, and does not matter if the checks passed nevertheless. */
const KIND_OF_ERROR = { passed: 'note', failed: 'failure', error: 'error' } as const

/** Returns the problems of a case: failed checks, then errors, then failed checks that do not decide. */
export function caseProblems({ repeats }: Pick<EvalCaseReport, 'repeats'>): readonly CaseProblem[] {
  const groups = new Map<string, CaseProblem>()
  const add = (problem: Omit<CaseProblem, 'count'>): void => {
    const key = `${problem.kind} ${problem.name}`
    const known = groups.get(key)
    groups.set(key, { ...problem, ...known, count: (known?.count ?? 0) + 1 })
  }
  for (const { status, checks, error } of repeats) {
    if (error !== undefined) add({ kind: KIND_OF_ERROR[status], name: error.code, message: error.message })
    for (const { passed, gate, name, message } of checks)
      if (!passed)
        add({ kind: gate ? 'failure' : 'note', name, ...(message === undefined ? {} : { message }) })
  }
  return KINDS.flatMap((kind) => [...groups.values()].filter((problem) => problem.kind === kind))
}
