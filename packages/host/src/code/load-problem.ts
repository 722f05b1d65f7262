import type { OptionProblem } from '@troupe/hooks'
import { closest, failure, toFailure, TroupeError, type Failure } from '@troupe/schema'

/** A problem with code that a card names, and the path of its key. */
export interface LoadProblem {
  readonly problem: Failure
  readonly path: readonly (string | number)[]
}

/**
 * Converts an error thrown while loading code: one problem per invalid option of a stock hook, else a single
 * problem.
 */
export function toLoadProblems(thrown: unknown, path: LoadProblem['path']): readonly LoadProblem[] {
  if (!TroupeError.isInstance(thrown) || !('problems' in thrown))
    return [{ problem: toFailure(thrown, 'function_load_failed'), path }]
  const problems = thrown.problems as readonly OptionProblem[]
  return problems.map((option) => ({
    problem: failure(thrown.code, `${path.join('.')}: ${option.message}.`, fixOf(option)),
    path: [...path, ...option.path],
  }))
}

function fixOf({ path, known }: OptionProblem): string | undefined {
  if (known === undefined) return undefined
  const near = closest(String(path.at(-1)), known)
  return near === undefined ? `Options there are: ${known.join(', ')}.` : `Did you mean \`${near}\`?`
}
