import { relative } from 'node:path'
import type { PlanProblem } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import type { Style } from '../terminal/style.ts'

/** How problems are printed. */
export interface ProblemFormat {
  readonly cwd: string
  readonly style: Style
}

/** Each problem as `file:line:column  error  message`, and below it what to do. */
export function problemLines(problems: readonly PlanProblem[], format: ProblemFormat): readonly string[] {
  return problems.flatMap((problem) => {
    const head = `${placeOf(problem, format.cwd)}  ${severityOf(problem, format.style)}  ${plainText(problem.message)}`
    const line = `${head} ${format.style.dim(`[${problem.code}]`)}`
    return problem.fix === undefined ? [line] : [line, `  fix: ${plainText(problem.fix)}`]
  })
}

/** A path as people write it: relative to the working folder where it lies inside. */
export function shortPath(path: string, cwd: string): string {
  if (path.includes('://')) return path
  const way = relative(cwd, path)
  return way === '' ? '.' : way.startsWith('..') ? path : way
}

function placeOf(problem: PlanProblem, cwd: string): string {
  if (problem.file === undefined) return problem.agent ?? 'team'
  const place = [shortPath(problem.file, cwd), problem.line, problem.column]
  return place.filter((part) => part !== undefined).join(':')
}

function severityOf({ severity }: PlanProblem, style: Style): string {
  return severity === 'error' ? style.red('error') : style.yellow('warning')
}
