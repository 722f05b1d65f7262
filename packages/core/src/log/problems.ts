import {
  agentToolName,
  problemOf,
  problemMessage,
  type RunEvent,
  type RunProblem,
  type RunRequest,
  type RunResult,
  type ToolResult,
} from '@troupe/schema'
import type { PreparedCall } from '../tools/prepare-call.ts'
import { redacted, appendEvent, type Run } from '../run/run.ts'

/** Adds the failure of a child run to the problems of its caller. Each child is reported once. */
export function reportChild(run: Run, request: RunRequest, result: RunResult): void {
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
export function reportRefusedChild(run: Run, request: RunRequest, result: RunResult): void {
  const tool = agentToolName(request.agent.name)
  report(run, { ...runRefOf(run), tool }, { ...result, childRunId: request.runId })
}

/**
 * Adds the failure of a tool call to the problems of its run, unless it is a child that was already reported.
 */
export function reportCall(run: Run, { tool, wireName }: PreparedCall, result: ToolResult): void {
  report(run, { ...runRefOf(run), tool: tool?.name ?? wireName }, result)
}

/** A problem that does not end the run. */
export interface SessionWarning {
  readonly code: string
  readonly message: string
  /** True if the problem weakens the result. */
  readonly weakens?: boolean
}

/** Appends a warning. If it weakens the result, also adds it once to the problems of the run. */
export function writeWarning(
  run: Run,
  { code, message, weakens = false }: SessionWarning,
  callId?: string,
): void {
  appendEvent(run, 'warning', { code, message, ...(weakens ? { weakens: true as const } : {}) }, { callId })
  if (!weakens) return
  const problem = redacted(run, { ...runRefOf(run), code, message: problemMessage(message) })
  const { problems } = run.account.problems()
  const isKnown = problems.some(
    (one) => one.runId === problem.runId && one.code === code && one.message === problem.message,
  )
  if (!isKnown) run.account.addProblem(problem)
}

/**
 * Returns the problem in a stored event. Adds the child of the event to `reported`, and returns `undefined`
 * if it is already there.
 */
export function problemIn(event: RunEvent, reported: Set<string>): RunProblem | undefined {
  const { runId, agent, instance } = event
  switch (event.type) {
    case 'run-end':
      return oncePerChild(
        problemOf({ runId, agent, instance }, { outcome: event.outcome, failure: event.error }),
        runId,
        reported,
      )
    case 'tool-result':
      return oncePerChild(
        problemOf(
          { runId, agent, instance, tool: event.toolName },
          { outcome: event.outcome, failure: event.error },
        ),
        event.childRunId,
        reported,
      )
    case 'warning':
      return event.weakens === true
        ? { runId, agent, instance, code: event.code, message: problemMessage(event.message) }
        : undefined
    default:
      return undefined
  }
}

function report(
  run: Run,
  where: Parameters<typeof problemOf>[0],
  end: Parameters<typeof problemOf>[1] & { readonly childRunId?: string },
): void {
  const found = problemOf(where, end)
  if (found === undefined) return
  const problem = oncePerChild(found, end.childRunId, (run.reportedChildren ??= new Set()))
  if (problem !== undefined) run.account.addProblem(redacted(run, problem))
}

function oncePerChild(
  problem: RunProblem | undefined,
  childRunId: string | undefined,
  reported: Set<string>,
): RunProblem | undefined {
  if (problem === undefined || childRunId === undefined) return problem
  if (reported.has(childRunId)) return undefined
  reported.add(childRunId)
  return problem
}

function runRefOf({ request }: Run): Pick<RunProblem, 'runId' | 'agent' | 'instance'> {
  return { runId: request.runId, agent: request.agent.name, instance: request.instance }
}
