// import the subpath, so that a session without stock hooks does not load them
import { runHookChain } from '@troupe/hooks/compose'
import {
  errorMessage,
  failure,
  toolResult,
  TroupeError,
  type HookContext,
  type JsonObject,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@troupe/schema'
import { isJsonTooDeep } from '@troupe/schema/json'
import type {
  CallSite,
  RunContext,
  CancellationToken,
  Deadline,
  ReplayedCall,
  RunTreeReplay,
} from '@troupe/schema/ports'
import { waitForClient } from './client-call.ts'
import { isClientTool } from './client-tools.ts'
import { guardToolResult, reopenResultGuards } from './guard-call.ts'
import { askQuestion, type QuestionContext, trackActivity, type ActivityTracker } from './human-input.ts'
import { createDeadline } from '../run/clock.ts'
import { sampleModel } from '../model/ask-model.ts'
import { outputGuards } from '../model/call-model.ts'
import { normaliseResult, withoutStack } from './normalise-result.ts'
import { permitCall, type HookApproval } from './permit-call.ts'
import { acceptedSchemaOf, badArguments, tooDeepArguments, type PreparedCall } from './prepare-call.ts'
import { redacted } from '../run/run.ts'
import type { ToolRun } from './read-result.ts'
import {
  createCancellation,
  raceOwnCancellation,
  raceCancellation,
  type Cancellation,
} from '../run/cancellation.ts'
import { warnLateResult } from '../log/problems.ts'

/** The result of a call and the number of its attempts. */
export interface ExecutedCall {
  readonly result: ToolResult
  readonly attempts: number
  /** Size of the arguments, if it comes from a recording. Otherwise it is computed. */
  readonly bytesIn?: number
}

/** Executes a prepared call of any kind through the hook chain. Never rejects. */
export async function executeCall(
  run: ToolRun,
  call: PreparedCall,
  context: RunContext,
): Promise<ExecutedCall> {
  const { tool } = call
  if (tool === undefined) {
    const result = toolResult.error('tool_unknown', `Unknown tool: ${call.wireName}`)
    return { result, attempts: 0 }
  }
  const { hooks } = run.prepared
  const reason = call.guardApproval
  const hookApproval: HookApproval = { isRequired: reason !== undefined, reason }
  const innermost = (args: JsonObject, attempt: number): Promise<ToolResult> =>
    callTool(run, { call, tool, args, attempt, hookApproval }, context)
  const runHooks = (): Promise<ExecutedCall> =>
    runHookChain({
      hooks,
      context: hookContext(run, call, { tool, hookApproval }),
      args: call.args,
      call: innermost,
      hookTimeoutMs: run.definition.limits.hookTimeout,
      clock: run.root.clock,
      cancellation: run.cancellation,
    })
  const executed =
    hooks.length === 0 ? { result: await innermost(call.args, 1), attempts: 1 } : await runHooks()
  if (run.prepared.guards === undefined) return executed
  return { ...executed, result: await guardToolResult(run, call, executed.result) }
}

interface ToolAttempt {
  readonly call: PreparedCall
  readonly tool: ToolDefinition
  readonly args: JsonObject
  readonly attempt: number
  readonly hookApproval: HookApproval
}

/** Runs the tool at the end of the hook chain. Checks permission, and arguments that a hook changed. */
async function callTool(run: ToolRun, attempt: ToolAttempt, context: RunContext): Promise<ToolResult> {
  const { call, tool, args, hookApproval } = attempt
  if (run.cancellation.reason !== undefined) return toolResult.failed(run.cancellation.reason)
  if (args !== call.args && isJsonTooDeep(args)) return tooDeepArguments(tool)
  const valid =
    args === call.args ? { ok: true as const, args } : run.prepared.validate(acceptedSchemaOf(tool), args)
  if (!valid.ok) return badArguments(tool, valid.problems)
  const check = { site: call.site, tool, args: valid.args, attempt: attempt.attempt, hookApproval }
  return (await permitCall(run, check)) ?? startTool(run, { ...attempt, args: valid.args }, context)
}

/** Starts a tool. A `once` tool only starts after its start is persisted. */
async function startTool(run: ToolRun, attempt: ToolAttempt, context: RunContext): Promise<ToolResult> {
  const isOnce = attempt.tool.effect === 'once'
  if (isOnce && run.root.onceCalls?.start(onceKey(run, attempt.call)) === false)
    return waitForInterruption(run)
  appendStart(run, attempt)
  if (isOnce) await run.log.waitUntilPersisted()
  if (run.cancellation.reason !== undefined) return toolResult.failed(run.cancellation.reason)
  const intercepted = await interceptTool(run, attempt)
  if (intercepted !== undefined) return intercepted
  if (isClientTool(attempt.tool)) return waitForClient(run, { ...attempt, site: attempt.call.site })
  return attempt.tool.source === 'agent' ? runAgent(run, attempt, context) : runTool(run, attempt, context)
}

/** Returns the result of the interceptor of the run tree; `undefined` if the tool is to be called. */
async function interceptTool(run: ToolRun, { tool, args }: ToolAttempt): Promise<ToolResult | undefined> {
  const { interceptor } = run.root
  if (interceptor?.callTool === undefined) return undefined
  const { name: toolName, source } = tool
  try {
    return await interceptor.callTool({ agent: run.request.agent.name, toolName, source, args })
  } catch (thrown) {
    return toolResult.failed(toolFailure(thrown))
  }
}

/** Returns the key of a call among the `once` calls of its run tree. */
export function onceKey(run: ToolRun, { site }: Pick<PreparedCall, 'site'>): string {
  return `${run.request.runId}:${site.callId}`
}

/**
 * Waits for the interruption of the run tree, so that the call neither starts nor gets a result before it.
 */
function waitForInterruption(run: ToolRun): Promise<ToolResult> {
  return new Promise((resolve) => {
    run.cancellation.onCancel((reason) => resolve(toolResult.failed(reason)))
  })
}

function appendStart(run: ToolRun, { call, tool, args, attempt }: ToolAttempt): void {
  if (!run.log.hasListeners) return
  const { callId } = call.site
  const step = run.log.isPersistent
    ? { key: `start:${callId}#${attempt}`, value: { toolName: tool.name, args } }
    : undefined
  run.log.appendDraft({ ...run.log.envelope('tool-start', callId), toolName: tool.name, attempt }, step)
}

/**
 * Runs an agent tool. The child has its own deadline, ends by itself when its parent is cancelled, and its
 * end is appended before the parent's.
 */
async function runAgent(run: ToolRun, attempt: ToolAttempt, context: RunContext): Promise<ToolResult> {
  const { tool, args } = attempt
  const { deadline, cancellation: stop } = run
  try {
    const own = new ToolCallContext(run, attempt, { stop, deadline, context, work: undefined })
    return normaliseResult(await tool.execute(args, own))
  } catch (thrown) {
    return failedTool(stop, thrown)
  }
}

/** Runs any other tool until it ends, times out or is cancelled. It is abandoned if it ignores that. */
async function runTool(run: ToolRun, attempt: ToolAttempt, context: RunContext): Promise<ToolResult> {
  const { tool, args, call } = attempt
  const stop = createCancellation(run.cancellation)
  const gate = run.root.approvalGate
  const work = gate === undefined ? undefined : trackActivity(gate)
  const ms = tool.timeoutMs ?? run.definition.limits.toolTimeout
  const onExpire = (): void =>
    stop.cancel(failure('tool_timeout', `${tool.name} did not finish within ${ms} ms.`))
  const deadline = createDeadline({ ms, clock: run.root.clock, parent: run.deadline, onExpire })
  try {
    const own = new ToolCallContext(run, attempt, { stop, deadline, context, work })
    const execution = Promise.resolve(tool.execute(args, own))
    const value: unknown = await raceOwnCancellation(execution, stop)
    if (stop.reason === undefined) return normaliseResult(value, tool.source)
    execution.then(() => warnLateResult(run, { name: tool.name, callId: call.site.callId }), ignoreFailure)
    return toolResult.failed(stop.reason)
  } catch (thrown) {
    return failedTool(stop, thrown)
  } finally {
    deadline.clear()
    work?.end()
    stop.detach()
  }
}

/** Converts a thrown value to a result. If the call was cancelled, the reason for that is the failure. */
function failedTool({ reason }: Cancellation, thrown: unknown): ToolResult {
  return toolResult.failed(reason ?? toolFailure(thrown))
}

function ignoreFailure(): void {
  // a cancelled tool is expected to fail
}

function toolFailure(thrown: unknown): ReturnType<typeof failure> {
  return TroupeError.isInstance(thrown)
    ? thrown.failure
    : failure('tool_failed', withoutStack(errorMessage(thrown)))
}

/**
 * The context of a tool call. A class with a getter, so that the signal is only created if the tool reads it.
 */
class ToolCallContext implements ToolContext {
  readonly site: CallSite
  readonly attempt: number
  readonly run: RunContext
  readonly idempotencyKey: string
  readonly #run: ToolRun
  readonly #tool: ToolDefinition
  readonly #stop: Cancellation
  readonly #work: ActivityTracker | undefined
  readonly #clocks: QuestionContext['clocks']
  #questions = 0

  constructor(
    run: ToolRun,
    { call, tool, attempt }: ToolAttempt,
    parts: {
      readonly stop: Cancellation
      readonly deadline: Deadline
      readonly context: RunContext
      readonly work: ActivityTracker | undefined
    },
  ) {
    this.site = call.site
    this.attempt = attempt
    this.run = parts.context
    this.idempotencyKey = `${run.request.runId}:${call.site.callId}#${attempt}`
    this.#run = run
    this.#tool = tool
    this.#stop = parts.stop
    this.#work = parts.work
    this.#clocks = { deadline: parts.deadline, cancellation: parts.stop }
  }

  readonly progress: ToolContext['progress'] = (text) =>
    this.#run.log.emitTransient('tool-progress', { toolName: this.#tool.name, text }, this.site.callId)

  readonly ask: ToolContext['ask'] = async (question) => {
    this.#questions += 1
    const ordinal = this.#questions
    const { name: toolName, effect } = this.#tool
    const { callId } = this.site
    const call = {
      callId,
      toolName,
      attempt: this.attempt,
      ordinal,
      mayWait: effect !== 'once',
      clocks: this.#clocks,
    }
    const resume = this.#work?.pause()
    try {
      return await askQuestion(this.#run, question, call)
    } finally {
      resume?.()
    }
  }

  get sample(): ToolContext['sample'] {
    // a replay does not run the tool, so it could not repeat the model calls
    if (this.#tool.source !== 'mcp' || this.#run.root.recording !== undefined) return undefined
    // output guards check answers, and a server would get the text without that
    if (outputGuards(this.#run).length > 0) return undefined
    return (request) => sampleModel(this.#run, request, this.site.callId)
  }

  get traceContext(): ToolContext['traceContext'] {
    const { root, request } = this.#run
    return root.trace?.contextOfCall({ runId: request.runId, callId: this.site.callId })
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  get stop(): CancellationToken {
    return this.#stop
  }
}

function hookContext(
  run: ToolRun,
  call: PreparedCall,
  { tool, hookApproval }: { readonly tool: ToolDefinition; readonly hookApproval: HookApproval },
): Omit<HookContext, 'originalToolFunc'> {
  return {
    agentName: run.request.agent.name,
    instanceName: run.request.instance,
    ...(tool.server === undefined ? {} : { serverName: tool.server }),
    toolName: tool.name,
    toolSource: tool.source,
    toolEffect: tool.effect,
    toolUseId: call.site.toolUseId,
    correlationId: `${run.request.runId}:${call.site.callId}`,
    signal: run.cancellation.signal,
    state: (scope) => (scope === 'root' ? run.root.state : run.hookState),
    log: (text) => run.log.emitTransient('log', { text }, call.site.callId),
    clock: run.root.clock,
    random: () => run.root.random(),
    hideSecrets: (text) => redacted(run, text),
    requireApproval: (reason) => {
      hookApproval.isRequired = true
      hookApproval.reason ??= reason
    },
    isDenied: async (args) => (await run.prepared.permission.ofCall(tool, args)).decision === 'deny',
  }
}

/**
 * Returns the recorded result of a call. Runs no hooks and no tools, only the children that the call had
 * started. `undefined` if the run was cancelled.
 */
export async function replayCall(
  run: ToolRun,
  call: PreparedCall,
  { replay, context }: { readonly replay: RunTreeReplay; readonly context: RunContext },
): Promise<ExecutedCall | undefined> {
  const recorded = replay.call(run.request.runId, call.site.callId)
  for (const child of recorded.children) {
    if (run.cancellation.reason !== undefined) return undefined
    await reopenChild(run, { call, child }, context)
  }
  await reopenResultGuards(run, call)
  return raceCancellation(recorded.result(), run.cancellation)
}

async function reopenChild(
  run: ToolRun,
  { call, child }: { readonly call: PreparedCall; readonly child: ReplayedCall['children'][number] },
  context: RunContext,
): Promise<void> {
  const { tool } = call
  if (tool?.agent !== child.agent) return
  const { attempt, args = call.args } = child
  const { deadline, cancellation: stop } = run
  const own: ToolAttempt = { call, tool, args, attempt, hookApproval: { isRequired: false } }
  await tool.execute(args, new ToolCallContext(run, own, { stop, deadline, context, work: undefined }))
}
