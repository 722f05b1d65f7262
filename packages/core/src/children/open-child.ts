import { failure, messageText, type Failure, type Message } from '@troupe/schema'
import { refusedRun, type ChildCall, type RunRequest, type RunResult } from '@troupe/schema/ports'
import { reportRefusedChild } from '../log/problems.ts'
import { childRunId } from '../run/run.ts'
import { watchChild, type ParentRun } from './watch-child.ts'

/** Maximum share of the parent's remaining time that a child gets, so that the parent can still answer. */
const SHARE_OF_PARENT = 0.9

type AgentRef = RunRequest['agent']

/** A call and the part of the conversation that a fork may copy. */
interface PositionedCall extends ChildCall {
  /** Number of messages; `undefined` if the child sees none of them in any history mode. */
  readonly historyEnd: number | undefined
}

/**
 * Starts a child run and waits for its end. All guards are here, so that no tool, hook or composition can
 * bypass them: cycle, depth and run count are checked; identity, deadline, history, cancellation and usage
 * are passed on. Never rejects.
 */
export function openChild(run: ParentRun, agent: AgentRef, call: PositionedCall): Promise<RunResult> {
  const request = toRequest(run, agent, call)
  const refusal = findRefusal(run, agent, request.runId)
  if (refusal !== undefined) {
    const result = refusedRun(request, refusal)
    reportRefusedChild(run, request, result)
    return Promise.resolve(result)
  }
  const child = watchChild(run, request)
  child.follow(run.root.executor.start(request, run.root, child))
  return run.definition.historyMode === 'fork_and_merge'
    ? child.end.then((result) => withMerge(request, result))
    : child.end
}

function findRefusal(run: ParentRun, agent: AgentRef, runId: string): Failure | undefined {
  if (run.cancellation.reason !== undefined) return run.cancellation.reason
  const path = run.children.ancestry
  if (path.some((ancestor) => ancestor.digest === agent.digest)) {
    return failure(
      'agent_cycle',
      `Agents call each other in a cycle: ${[...path.map((ancestor) => ancestor.name), agent.name].join(' -> ')}.`,
    )
  }
  if (run.depth + 1 > run.root.maxDepth) {
    return failure(
      'depth_exceeded',
      `${agent.name} would be at depth ${run.depth + 1}; the limit is ${run.root.maxDepth}.`,
    )
  }
  // runs that started before the interruption are already counted
  if (run.root.resumeState?.hasRun(runId) !== true && !run.root.budgetLedger.openRun(run.root.maxRuns)) {
    return failure(
      'runs_exceeded',
      `The run tree has reached its limit of ${run.root.maxRuns} runs (limits.maxRuns).`,
    )
  }
  return undefined
}

function toRequest(run: ParentRun, agent: AgentRef, call: PositionedCall): RunRequest {
  const { request, definition } = run
  const { site } = call
  const history =
    definition.historyMode === 'scratch' || call.historyEnd === undefined
      ? undefined
      : run.conversation.messages.slice(0, call.historyEnd)
  return {
    runId: childRunId({
      parentRunId: request.runId,
      turn: site.turn,
      ordinal: site.ordinal,
      attempt: call.attempt,
    }),
    rootRunId: request.rootRunId,
    parentRunId: request.runId,
    site,
    agent: { name: agent.name, digest: agent.digest },
    instance: `${agent.name}[${site.instanceIndex ?? 1}]`,
    input: call.input,
    ...(call.values === undefined ? {} : { values: call.values }),
    ...(call.output === undefined ? {} : { output: call.output }),
    ...(history === undefined ? {} : { history }),
    ancestry: run.children.ancestry,
    remainingMs: Math.min(definition.limits.childTimeout, run.deadline.remaining() * SHARE_OF_PARENT),
    sessionId: request.sessionId,
    principal: request.principal,
    ...(request.traceContext === undefined ? {} : { traceContext: request.traceContext }),
  }
}

/** Adds the messages of the child as text, for `fork_and_merge`. */
function withMerge(request: RunRequest, result: RunResult): RunResult {
  const lines = result.messages.flatMap(toLine)
  if (lines.length === 0) return result
  const text = `Conversation of ${request.instance}:\n${lines.join('\n')}`
  return { ...result, merge: [{ role: 'user', content: [{ type: 'text', text }] }] }
}

function toLine(message: Message): readonly string[] {
  if (message.role === 'tool') {
    return message.content.flatMap((part) =>
      part.type === 'tool-result' && (part.output.type === 'text' || part.output.type === 'error-text')
        ? [`${part.toolName}: ${part.output.value}`]
        : [],
    )
  }
  const text = messageText(message)
  return text === '' ? [] : [`${message.role}: ${text}`]
}
