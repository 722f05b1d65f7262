import { relative } from 'node:path'
import { failure, type Failure } from '@troupe/schema'
import type { HostPlan, PlanProblem, PlannedAgent } from '@troupe/host'
import { plainText } from '@troupe/timeline'
import type { CommandContext, LogFormat } from '../terminal/context.ts'
import { failureRecord, writeRecord } from './records.ts'
import type { Style } from '../terminal/terminal.ts'
import { HANGING_INDENT, wrapText } from '../terminal/wrap.ts'

/** Returns the named agents and all that they can reach. */
export function reachable(plan: HostPlan, names: Iterable<string>): ReadonlySet<string> {
  const agents = new Map(plan.agents.map((agent) => [agent.name, agent]))
  const found = new Set<string>()
  const open = [...names]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue
    found.add(name)
    open.push(...(agents.get(name)?.children ?? []))
  }
  return found
}

/**
 * Returns the errors that prevent an agent from running: its own, those of agents that it can reach, and
 * those of the configuration. Without an entry, returns all errors.
 */
export function blockingProblems(plan: HostPlan, entry: string | undefined): readonly PlanProblem[] {
  const errors = plan.problems.filter(isError)
  if (entry === undefined) return errors.length > 0 ? errors : [NO_ENTRY]
  const own = errorsOf(plan, [entry])
  if (own.length > 0 || isRunnable(plan, entry)) return own
  return errors.length > 0 ? errors : [NO_ENTRY]
}

/** Returns the errors of the named agents, of those they can reach, and of the configuration. */
export function errorsOf(plan: HostPlan, names: Iterable<string>): readonly PlanProblem[] {
  const reached = reachable(plan, names)
  return plan.problems.filter(
    (problem) => isError(problem) && (isGeneral(problem, plan) || reached.has(problem.agent ?? '')),
  )
}

function isError({ severity }: PlanProblem): boolean {
  return severity === 'error'
}

/** Codes of warnings that prevent an agent from running: missing variables, keys and models. */
const START_CODES: ReadonlySet<string> = new Set(['env_missing', 'model_unset'])

/**
 * Returns the errors about the named agents or those they reach, and the warnings that prevent one of them
 * from running.
 */
export function startProblems(plan: HostPlan, names: Iterable<string>): readonly PlanProblem[] {
  const reached = reachable(plan, names)
  return plan.problems.filter(
    ({ severity, code, agent }) =>
      (severity === 'error' || START_CODES.has(code)) && (agent === undefined || reached.has(agent)),
  )
}

/** Returns true if the plan reports that the agent itself lacks a variable or a model, so that it may not start. */
export function lacksSettings({ problems }: HostPlan, name: string | undefined): boolean {
  return name !== undefined && problems.some(({ code, agent }) => agent === name && START_CODES.has(code))
}

/** Returns true if the agent is in the plan, even if it cannot run. */
export function isLoaded(plan: HostPlan, name: string): boolean {
  return plan.agents.some((agent) => agent.name === name)
}

export function problemFailure({ code, message, fix }: PlanProblem): Failure {
  return failure(code, message, fix)
}

const NO_ENTRY: PlanProblem = Object.freeze({
  severity: 'error',
  code: 'agent_unknown',
  message: 'No agent can be run.',
  fix: 'Pass a card, or a folder with cards.',
})

/** Returns true if a problem is not about one card: the configuration, an env file or the whole team. */
function isGeneral({ agent, file, code }: PlanProblem, { configFile }: HostPlan): boolean {
  return agent === undefined && (file === undefined || file === configFile || code === 'config_invalid')
}

function isRunnable(plan: HostPlan, entry: string): boolean {
  return plan.agents.some((agent: PlannedAgent) => agent.name === entry && agent.runnable)
}

/** Returns true for advice on writing cards, which only `troupe check` prints. */
export function isAdvice({ code }: PlanProblem): boolean {
  return code === 'card_no_description'
}

/**
 * Prints the problems of a team on stderr, without advice; with `quiet`, only those that prevent `agent`, by default the
 * entry agent, from running. Returns the first of these, if any. Missing variables and models of the `running` agent, and
 * the same variables of other agents, are omitted, because its run, or the start of its tools, reports those that it
 * needs.
 */
export function printPlanProblems(
  loaded: HostPlan,
  {
    quiet = false,
    logFormat,
    running,
    agent,
  }: {
    readonly quiet?: boolean | undefined
    readonly logFormat?: LogFormat | undefined
    readonly running?: string | undefined
    readonly agent?: string | undefined
  },
  context: CommandContext,
): Failure | undefined {
  const entry = agent !== undefined && isLoaded(loaded, agent) ? agent : loaded.entry
  // If the agent is known, no default agent is needed.
  const isNeeded = ({ code }: PlanProblem): boolean => code !== 'agent_ambiguous' || entry === undefined
  const plan = { ...loaded, problems: loaded.problems.filter(isNeeded) }
  const blocking = blockingProblems(plan, entry)
  const own = plan.problems.filter(
    (problem) => running !== undefined && problem.agent === running && START_CODES.has(problem.code),
  )
  const isReported = (problem: PlanProblem): boolean =>
    own.some((reported) => reported === problem || lackSameVariables(reported, problem))
  const problems = plan.problems.filter((problem) => !isReported(problem) && !isAdvice(problem))
  const printed = quiet ? blocking : [...new Set([...problems, ...blocking])]
  printFindings(printed, { logFormat }, context)
  const [first] = blocking
  return first === undefined ? undefined : problemFailure(first)
}

/** Returns true for the problems of two agents that lack the same variables. */
function lackSameVariables(a: PlanProblem, b: PlanProblem): boolean {
  return a.code === 'env_missing' && b.code === 'env_missing' && a.message === b.message
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
  for (const line of problemLines(problems, { cwd, style }))
    stderr.write(`${wrapText(line, stderr, HANGING_INDENT)}\n`)
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

export interface ProblemFormat {
  readonly cwd: string
  readonly style: Style
}

/** Returns each problem as one line, without its fix. */
export function problemHeadlines(problems: readonly PlanProblem[], format: ProblemFormat): readonly string[] {
  return problems.flatMap((problem) => problemLines([problem], format).slice(0, 1))
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
