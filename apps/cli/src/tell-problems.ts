import type { Failure } from '@troupe/schema'
import type { HostPlan } from '@troupe/host'
import type { CommandContext } from './context.ts'
import { blockingProblems, problemFailure } from './plan-problems.ts'
import { problemLines } from './reporter/problems.ts'

/** Tells the problems of a team on stderr, once; quiet: only those that keep its entry from being run. The answer is the first of these, if there are any. */
export function tellProblems(
  plan: HostPlan,
  { quiet = false }: { readonly quiet?: boolean | undefined },
  { terminal, cwd }: CommandContext,
): Failure | undefined {
  const blocking = blockingProblems(plan, plan.entry)
  const told = quiet ? blocking : [...new Set([...plan.problems, ...blocking])]
  for (const line of problemLines(told, { cwd, style: terminal.style })) terminal.stderr.write(`${line}\n`)
  const [first] = blocking
  return first === undefined ? undefined : problemFailure(first)
}
