import type { RunProblem, RunProblems } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { Style } from '../terminal/style.ts'

/** Maximum number of problems listed on a terminal; `--json` prints all that the report has. */
const SHOWN = 10
const MESSAGE = 200

/** Returns lines with the number of problems and the first of them; no lines without problems. */
export function runProblemLines({ problems, problemCount }: RunProblems, style: Style): readonly string[] {
  if (problemCount === 0) return []
  const shown = problems.slice(0, SHOWN)
  const rest = problemCount - shown.length
  return [
    problemHead(problemCount, style),
    ...shown.map((problem) => `  ${problemLine(problem, style)}`),
    ...(rest === 0 ? [] : [`  ${style.dim(`and ${rest} more`)}`]),
  ]
}

export function problemHead(count: number, style: Style): string {
  return `${style.yellow('problems:')} ${count}`
}

function problemLine({ instance, tool, code, message }: RunProblem, style: Style): string {
  const who = tool === undefined ? instance : `${instance}, ${tool}`
  return `${plainText(who)}: ${plainText(message, { max: MESSAGE })} ${style.dim(`[${plainText(code)}]`)}`
}
