import { TriangleAlert } from 'lucide-react'
import type { ReactElement } from 'react'
import type { AgentProblem } from '../api/agents.ts'

/** Shows the number of problems, marked as errors if one is an error; nothing if there are none. */
export function ProblemCount({
  problems,
}: {
  readonly problems: readonly AgentProblem[]
}): ReactElement | null {
  if (problems.length === 0) return null
  const hasErrors = problems.some(({ severity }) => severity === 'error')
  return (
    <span className={`flex items-center gap-1 text-tiny font-medium ${hasErrors ? 'text-bad' : 'text-warn'}`}>
      <TriangleAlert aria-hidden="true" className="size-3.5" />
      {problems.length} {problems.length === 1 ? 'problem' : 'problems'}
    </span>
  )
}
