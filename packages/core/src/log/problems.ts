import { agentToolName, type RunProblem, type ToolResult } from '@troupe/schema'
import { problemOf, problemMessage, type RunRequest, type RunResult } from '@troupe/schema/ports'
import { redacted } from '../run/run.ts'
import type { LoggedRun } from './run-log.ts'

/** Adds the failure of a child run to the problems of its caller. Each child is reported once. */
export function reportChild(run: LoggedRun, request: RunRequest, result: RunResult): void {
  report(
    run,
    { runId: request.runId, agent: request.agent.name, instance: request.instance },
    {
      ...result,
      childRunId: request.runId,
    },
  )
}

/** Adds a child that was refused before it started, as a failed call of its caller. */
export function reportRefusedChild(run: LoggedRun, request: RunRequest, result: RunResult): void {
  const tool = agentToolName(request.agent.name)
  report(run, { ...runRefOf(run), tool }, { ...result, childRunId: request.runId })
}

/**
 * Adds the failure of a tool call to the problems of its run, unless it is a child that was already reported.
 */
export function reportCall(run: LoggedRun, tool: string, result: ToolResult): void {
  report(run, { ...runRefOf(run), tool }, result)
}

/** A problem that does not end the run. */
export interface SessionWarning {
  readonly code: string
  readonly message: string
  /** True if the problem weakens the result. */
  readonly weakens?: boolean
}

/** Appends a warning. If it weakens the result, also adds it once to the problems of the run. */
export function appendWarning(
  run: LoggedRun,
  { code, message, weakens = false }: SessionWarning,
  callId?: string,
): void {
  run.log.appendEvent(
    'warning',
    { code, message, ...(weakens ? { weakens: true as const } : {}) },
    { callId },
  )
  if (!weakens) return
  const problem = redacted(run, { ...runRefOf(run), code, message: problemMessage(message) })
  const { problems } = run.account.problems()
  const isKnown = problems.some(
    (known) => known.runId === problem.runId && known.code === code && known.message === problem.message,
  )
  if (!isKnown) run.account.addProblem(problem)
}

function report(
  run: LoggedRun,
  where: Parameters<typeof problemOf>[0],
  end: Parameters<typeof problemOf>[1] & { readonly childRunId?: string },
): void {
  const problemOfEnd = problemOf(where, end)
  if (problemOfEnd === undefined) return
  const problem = oncePerChild(problemOfEnd, end.childRunId, run.log.reportedChildren)
  if (problem !== undefined) run.account.addProblem(redacted(run, problem))
}

/** Returns the problem, unless it is the failure of a child that was already reported. */
export function oncePerChild(
  problem: RunProblem | undefined,
  childRunId: string | undefined,
  reported: Set<string>,
): RunProblem | undefined {
  if (problem === undefined || childRunId === undefined) return problem
  if (reported.has(childRunId)) return undefined
  reported.add(childRunId)
  return problem
}

function runRefOf({ request }: LoggedRun): Pick<RunProblem, 'runId' | 'agent' | 'instance'> {
  return { runId: request.runId, agent: request.agent.name, instance: request.instance }
}

/** Warns about a result that arrived after the call was abandoned. The result is discarded. */
export function warnLateResult(
  { log }: LoggedRun,
  { name, callId }: { readonly name: string; readonly callId: string | undefined },
): void {
  if (log.hasEnded) return
  const message = `${name} finished after it was abandoned; its result was discarded.`
  log.appendEvent('warning', { code: 'late_result', message }, { callId })
}
