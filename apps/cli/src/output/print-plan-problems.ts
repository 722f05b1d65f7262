import type { Failure } from '@troupe/schema'
import type { HostPlan, PlanProblem } from '@troupe/host'
import type { CommandContext } from '../context.ts'
import { blockingProblems, problemFailure } from '../team/plan-problems.ts'
import { problemLines, shortPath } from '../reporter/problems.ts'
import { failureRecord, writeRecord } from '../reporter/records.ts'
import type { LogFormat } from '../syntax/launch.ts'

/**
 * Prints the problems of a team on stderr; with `quiet`, only those that prevent its entry agent from
 * running. Returns the first of these, if any. Missing variables of the `running` agent are omitted, because
 * its run reports them.
 */
export function printPlanProblems(
  plan: HostPlan,
  {
    quiet = false,
    logFormat,
    running,
  }: {
    readonly quiet?: boolean | undefined
    readonly logFormat?: LogFormat | undefined
    readonly running?: string | undefined
  },
  context: CommandContext,
): Failure | undefined {
  const blocking = blockingProblems(plan, plan.entry)
  const isReported = ({ code, agent }: PlanProblem): boolean =>
    running !== undefined && agent === running && code === 'env_missing'
  const problems = plan.problems.filter((problem) => !isReported(problem))
  const printed = quiet ? blocking : [...new Set([...problems, ...blocking])]
  printFindings(printed, { logFormat }, context)
  const [first] = blocking
  return first === undefined ? undefined : problemFailure(first)
}

/** Prints problems on stderr, as text or as JSON records. */
export function printFindings(
  problems: readonly PlanProblem[],
  { logFormat }: { readonly logFormat?: LogFormat | undefined },
  context: CommandContext,
): void {
  if (logFormat === 'json') writeProblems(problems, context)
  else printProblems(problems, context)
}

function printProblems(problems: readonly PlanProblem[], { terminal, cwd }: CommandContext): void {
  const { stderr, style } = terminal
  for (const line of problemLines(problems, { cwd, style })) stderr.write(`${line}\n`)
}

function writeProblems(problems: readonly PlanProblem[], { terminal, cwd, clock }: CommandContext): void {
  for (const { code, message, severity, fix, file, line } of problems) {
    const level = severity === 'error' ? 'error' : 'warn'
    const remediation = fix === undefined ? {} : { remediation: fix }
    const location = file === undefined ? {} : { file: shortPath(file, cwd), line }
    const record = failureRecord('problem', { code, message, level, ...remediation }, () => clock.now())
    writeRecord(terminal.stderr, { ...record, ...location })
  }
}
