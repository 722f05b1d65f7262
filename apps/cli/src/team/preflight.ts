import type { Host, PlanProblem, PreflightOptions } from '@troupe/host'
import type { Failure } from '@troupe/schema'
import type { CommandContext } from '../terminal/context.ts'
import { problemLines, printFindings, problemFailure, startProblems } from '../reporter/plan-problems.ts'
import { printNote, type MessageOptions } from '../reporter/reload.ts'

/** Agents that a command is about to use, and whether their MCP servers keep running after the check. */
interface PreflightTarget extends Pick<PreflightOptions, 'agents' | 'keep'> {
  /** Agent that `work` runs. */
  readonly running?: string | undefined
}

/**
 * Calls `work` and connects the MCP servers of the agents meanwhile. Prints each problem as a warning when it
 * is found.
 */
export async function runWithPreflight<T>(
  host: Host,
  target: PreflightTarget,
  work: () => Promise<T>,
  options: MessageOptions & { readonly strict?: boolean },
  context: CommandContext,
): Promise<T> {
  // This check only prints warnings, and a strict start has already checked.
  if (options.quiet === true || options.strict === true) return work()
  const finished = new AbortController()
  const onProblem = (problem: PlanProblem): void => {
    const format = { cwd: context.cwd, style: context.terminal.style }
    if (context.stop.silent || finished.signal.aborted) return
    for (const line of problemLines([{ ...problem, severity: 'warning' }], format))
      printNote(line, options, context)
  }
  const { running, ...rest } = target
  const preflight = host.preflight({
    ...rest,
    ...(running === undefined ? {} : { running }),
    signal: finished.signal,
    onProblem,
  })
  // A rejection is thrown below, after `work`.
  preflight.catch(() => undefined)
  try {
    return await work()
  } finally {
    finished.abort()
    await preflight
  }
}

/**
 * Checks keys, models and MCP servers before anything runs, and prints what is missing. Returns the first
 * problem; `undefined` if there is none.
 */
export async function findStartRefusal(
  host: Host,
  { agents, keep }: PreflightTarget,
  options: MessageOptions,
  context: CommandContext,
): Promise<Failure | undefined> {
  const plan = host.plan()
  const names = agents ?? (plan.entry === undefined ? [] : [plan.entry])
  const planErrors = startProblems(plan, names)
  const found = await host.preflight({
    thorough: true,
    agents: names,
    signal: context.stop.signal,
    ...(keep === undefined ? {} : { keep }),
  })
  // The problems of the plan were printed with the plan unless `quiet` is set.
  const unprinted = options.quiet === true ? [...planErrors, ...found] : found
  printFindings(unprinted, options, context)
  const errors = [...planErrors, ...found.filter(({ severity }) => severity === 'error')]
  const [first] = errors
  if (first === undefined) return undefined
  printStartRefusal(errors.length, options, context)
  return problemFailure(first)
}

function printStartRefusal(count: number, { logFormat }: MessageOptions, { terminal }: CommandContext): void {
  if (logFormat === 'json') return
  const { stderr, style } = terminal
  const problems = count === 1 ? 'the problem' : `the ${count} problems`
  stderr.write(`${style.red('error:')} Not started because of ${problems} above (--strict).\n`)
}
