import {
  failure,
  toolResult,
  type ErrorCode,
  type Failure,
  type Message,
  type ToolMessage,
  type ToolResult,
} from '@troupe/schema'
import type { CallSite, PreparedAgent, RunContext } from '@troupe/schema/ports'
import { recallClientTurn } from './client-call.ts'
import { isClientTool } from './client-tools.ts'
import { childInstance, prepareCall, type PreparedCall } from './prepare-call.ts'
import { executeCall, onceKey, replayCall } from './execute-call.ts'
import { guardToolCall } from './guard-call.ts'
import type { RecordedResult, RequestedToolCall } from '../log/recorded-steps.ts'
import type { ToolRun } from './read-result.ts'
import { settleCall, settleRecalled, settleReplayed, type SettledCall } from './settle-call.ts'
import { createSemaphore, type Semaphore } from '../limiter/semaphore.ts'

/**
 * The results of one turn: one tool message in the model's order, then messages that children merge into the
 * conversation.
 */
export interface TurnResults {
  readonly message: ToolMessage
  readonly merge: readonly Message[]
  /** Set if every call of the turn was invalid: an unknown tool, or arguments that do not match. */
  readonly unusable?: Failure
  /** Set if a tool has answered in place of the agent. */
  readonly answer?: TurnAnswer
}

/** The result of a call that is the answer of the run. */
export type TurnAnswer = Pick<ToolResult, 'outcome' | 'content' | 'failure'>

/**
 * Runs the calls of one turn, concurrently unless `parallelToolCalls` is false. At most `maxParallel` child
 * agents run at the same time. The calls of the client's tools follow those of the agent's own.
 */
export async function runCalls(
  run: ToolRun,
  prepared: PreparedAgent,
  calls: readonly RequestedToolCall[],
  context: RunContext,
): Promise<TurnResults> {
  const { maxParallel, parallelToolCalls } = run.definition.limits
  const ready = prepareAll(run, prepared, calls)
  const shared = { slots: createSemaphore(maxParallel), context }
  const clientCalls =
    run.request.clientTools === undefined ? [] : ready.filter(({ tool }) => isClientTool(tool))
  const settled =
    clientCalls.length === 0
      ? await runAll(run, ready, { ...shared, isParallel: parallelToolCalls })
      : await runWithClient(run, ready, { ...shared, clientCalls })
  const files = settled.flatMap((call) => call.files ?? [])
  if (files.length > 0) run.progress.files = [...run.progress.files, ...files]
  const unusable = unusableTurn(ready)
  return unusable === undefined ? toResults(settled) : { ...toResults(settled), unusable }
}

interface SharedByCalls {
  readonly slots: Semaphore
  readonly context: RunContext
}

async function runAll(
  run: ToolRun,
  calls: readonly PreparedCall[],
  { isParallel, ...shared }: SharedByCalls & { readonly isParallel: boolean },
): Promise<readonly SettledCall[]> {
  if (isParallel && calls.length > 1) return Promise.all(calls.map((call) => runCall(run, call, shared)))
  const settled: SettledCall[] = []
  for (const call of calls) settled.push(await runCall(run, call, shared))
  return settled
}

/** Runs the agent's own calls, then those of the client. Returns the results in the order of `calls`. */
async function runWithClient(
  run: ToolRun,
  calls: readonly PreparedCall[],
  { clientCalls, ...shared }: SharedByCalls & { readonly clientCalls: readonly PreparedCall[] },
): Promise<readonly SettledCall[]> {
  const { parallel = true } = run.progress.clientTurn
  // what the client required is done; each of its results may bring new requirements
  run.progress.clientTurn = { parallel }
  const ownCalls = calls.filter((call) => !clientCalls.includes(call))
  const settled = [
    ...(await runAll(run, ownCalls, { ...shared, isParallel: run.definition.limits.parallelToolCalls })),
    ...(await runAll(run, clientCalls, { ...shared, isParallel: parallel })),
  ]
  const order = [...ownCalls, ...clientCalls]
  return calls.flatMap((call) => settled[order.indexOf(call)] ?? [])
}

/** Error codes of calls that the model got wrong. */
const MISTAKES: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode>([
  'tool_unknown',
  'tool_bad_arguments',
])

function unusableTurn(calls: readonly PreparedCall[]): Failure | undefined {
  const [first] = calls
  const isWrong = calls.every(({ refusal }) => MISTAKES.has(refusal?.failure?.code))
  return isWrong ? first?.refusal?.failure : undefined
}

/** Refuses all calls of a turn, because the agent has no turns left. */
export function refuseCalls(
  run: ToolRun,
  prepared: PreparedAgent,
  calls: readonly RequestedToolCall[],
): TurnResults {
  const { turn } = run.progress
  const refusal = toolResult.error(
    'turns_exceeded',
    'Not run: the agent has no turns left. Answer now with what you know.',
  )
  const settled = calls.map((call, index) => {
    const site: CallSite = {
      turn,
      ordinal: index + 1,
      callId: `${turn}.${index + 1}`,
      toolUseId: call.toolUseId,
    }
    const preparedCall: PreparedCall = {
      site,
      wireName: call.wireName,
      args: {},
      tool: prepared.tools.get(call.wireName),
      refusal,
    }
    appendCall(run, preparedCall)
    return settleCall(run, preparedCall, { result: refusal, attempts: 0, durationMs: 0 })
  })
  return toResults(settled)
}

function prepareAll(
  run: ToolRun,
  prepared: PreparedAgent,
  calls: readonly RequestedToolCall[],
): readonly PreparedCall[] {
  const { turn } = run.progress
  let children = 0
  return calls.map((call, index) => {
    const ready = prepareCall(run, prepared, call, { turn, ordinal: index + 1 })
    if (ready.refusal !== undefined || ready.tool?.source !== 'agent') return ready
    children += 1
    return { ...ready, site: { ...ready.site, instanceIndex: children } }
  })
}

async function runCall(run: ToolRun, call: PreparedCall, shared: SharedByCalls): Promise<SettledCall> {
  const recalled = recordedResult(run, call)
  if (recalled !== undefined) {
    if (isClientTool(call.tool)) recallClientTurn(run, call.site)
    return settleRecalled(run, call, recalled)
  }
  const guarded = run.prepared.guards === undefined ? call : await guardToolCall(run, call)
  return runGuardedCall(run, guarded, shared)
}

async function runGuardedCall(run: ToolRun, call: PreparedCall, shared: SharedByCalls): Promise<SettledCall> {
  appendCall(run, call)
  const refusal = call.refusal ?? unknownOutcome(run, call)
  if (refusal !== undefined) return settleCall(run, call, { result: refusal, attempts: 0, durationMs: 0 })
  const release = await enterSlot(run, call, shared.slots)
  if (release === undefined)
    return settleCall(run, call, { result: stoppedResult(run), attempts: 0, durationMs: 0 })
  const startedAt = run.root.clock.monotonic()
  const replay = run.root.recording?.replay
  try {
    if (replay !== undefined) {
      const replayed = await replayCall(run, call, { replay, context: shared.context })
      if (replayed !== undefined) return settleReplayed(run, call, replayed)
      return settleCall(run, call, { result: stoppedResult(run), attempts: 0, durationMs: 0 })
    }
    const { result, attempts } = await executeCall(run, call, shared.context)
    return settleCall(run, call, {
      result,
      attempts,
      durationMs: Math.round(run.root.clock.monotonic() - startedAt),
    })
  } finally {
    // the result is appended, so an interruption from here on cannot lose it
    if (call.tool?.effect === 'once') run.root.onceCalls?.end(onceKey(run, call))
    release()
  }
}

/** Returns the result that a call had before the run was interrupted, or `undefined`. */
function recordedResult({ log }: ToolRun, { site }: PreparedCall): RecordedResult | undefined {
  return log.journal?.step(`tool:${site.callId}`) as unknown as RecordedResult | undefined
}

/**
 * Returns an error for a `once` call that was started without a result, because it must not run twice.
 * Returns `undefined` if the call may run.
 */
function unknownOutcome({ log }: ToolRun, { site, tool }: PreparedCall): ToolResult | undefined {
  if (tool?.effect !== 'once' || log.journal?.hasStarted(site.callId) !== true) return undefined
  return toolResult.error(
    'tool_outcome_unknown',
    `${tool.name} was running when the run was interrupted; it is unknown whether it took effect.`,
  )
}

/** Acquires a slot for a child agent. Other calls start at once. */
async function enterSlot(
  run: ToolRun,
  call: PreparedCall,
  slots: Semaphore,
): Promise<(() => void) | undefined> {
  if (call.tool?.source !== 'agent') return noSlot
  const free = slots.tryAcquire()
  if (free !== undefined) return free
  const entered = slots.acquire(run.cancellation)
  run.log.appendEvent(
    'tool-queued',
    { toolName: call.tool.name, position: slots.waiting(), ...childInstance(call) },
    { callId: call.site.callId },
  )
  return entered
}

function noSlot(): void {
  // only child agents hold a slot
}

function stoppedResult(run: ToolRun): ToolResult {
  return toolResult.failed(run.cancellation.reason ?? failure('run_cancelled', 'The run was stopped.'))
}

function appendCall(run: ToolRun, call: PreparedCall): void {
  if (!run.log.hasListeners) return
  const { site, tool } = call
  run.log.appendDraft({
    ...run.log.envelope('tool-call', site.callId),
    toolName: tool?.name ?? call.wireName,
    source: tool?.source ?? 'function',
    ...(tool?.server === undefined ? {} : { server: tool.server }),
    args: call.args,
    turn: site.turn,
    ordinal: site.ordinal,
    toolUseId: site.toolUseId,
    ...childInstance(call),
  })
}

function toResults(settled: readonly SettledCall[]): TurnResults {
  const answer = settled.find((call) => call.answer !== undefined)?.answer
  return {
    message: { role: 'tool', content: settled.map((call) => call.part) },
    merge: settled.flatMap((call) => call.merge),
    ...(answer === undefined ? {} : { answer }),
  }
}
