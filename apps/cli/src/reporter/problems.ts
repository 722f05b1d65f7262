import { relative } from 'node:path'
import type { PlanProblem } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import type { Style } from '../terminal/style.ts'

export interface ProblemFormat {
  readonly cwd: string
  readonly style: Style
}

/** Returns each problem as `file:line:column  error  message`, with its fix on the next line. */
export function problemLines(problems: readonly PlanProblem[], format: ProblemFormat): readonly string[] {
  return problems.flatMap((problem) => {
    const head = `${problemLocation(problem, format.cwd)}  ${severityOf(problem, format.style)}  ${plainText(problem.message)}`
    const line = `${head} ${format.style.dim(`[${problem.code}]`)}`
    return problem.fix === undefined ? [line] : [line, `  fix: ${plainText(problem.fix)}`]
  })
}

/** Returns a path relative to the working folder if it is inside; URLs are unchanged. */
export function shortPath(path: string, cwd: string): string {
  if (path.includes('://')) return path
  const relativePath = relative(cwd, path)
  return relativePath === '' ? '.' : relativePath.startsWith('..') ? path : relativePath
}

function problemLocation(problem: PlanProblem, cwd: string): string {
  if (problem.file === undefined) return problem.agent ?? 'team'
  const parts = [shortPath(problem.file, cwd), problem.line, problem.column]
  return parts.filter((part) => part !== undefined).join(':')
}

function severityOf({ severity }: PlanProblem, style: Style): string {
  return severity === 'error' ? style.red('error') : style.yellow('warning')
}
