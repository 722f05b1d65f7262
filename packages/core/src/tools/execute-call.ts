// import the subpath, so that a session without stock hooks does not load them
import { runHookChain } from '@troupe/hooks/compose'
import {
  errorMessage,
  failure,
  isJsonTooDeep,
  toolResult,
  TroupeError,
  type CallSite,
  type Deadline,
  type HookContext,
  type JsonObject,
  type MaybePromise,
  type RunContext,
  type CancellationToken,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
  type ReplayedCall,
  type RunTreeReplay,
} from '@troupe/schema'
import { askQuestion } from './ask-question.ts'
import { createDeadline } from '../run/deadline.ts'
import { normaliseResult } from './normalise-result.ts'
import { permitCall, type ApprovalDemand } from './permit-call.ts'
import { acceptedSchemaOf, badArguments, tooDeepArguments, type PreparedCall } from './prepare-call.ts'
import {
  envelopeOf,
  hasListeners,
  isPersistent,
  redacted,
  emitTransient,
  appendEventDraft,
  type Run,
} from '../run/run.ts'
import {
  createCancellation,
  raceOwnCancellation,
  raceCancellation,
  type Cancellation,
} from '../run/cancellation.ts'
import { waitUntilPersisted } from '../log/run-log.ts'
import { warnLateResult } from '../children/watch-child.ts'
import { whenKnown } from '../time/when-known.ts'
import { withoutStack } from './without-stack.ts'
import { trackActivity, type ActivityTracker } from './approval-gate.ts'

/** The result of a call and the number of its attempts. */
export interface ExecutedCall {
  readonly result: ToolResult
  readonly attempts: number
  /** Size of the arguments, if it comes from a recording. Otherwise it is computed. */
  readonly bytesIn?: number
}

/** Executes a prepared call of any kind through the hook chain. Never rejects. */
export function executeCall(run: Run, call: PreparedCall, context: RunContext): MaybePromise<ExecutedCall> {
  const { tool } = call
  if (tool === undefined) {
    const result = toolResult.error('tool_unknown', `Unknown tool: ${call.wireName}`)
    return { result, attempts: 0 }
  }
  const hooks = run.prepared?.hooks ?? []
  const demand: ApprovalDemand = { isMade: false }
  const innermost = (args: JsonObject, attempt: number): MaybePromise<ToolResult> =>
    callTool(run, { call, tool, args, attempt, demand }, context)
  if (hooks.length === 0) return whenKnown(innermost(call.args, 1), toFirstAttempt)
  return runHookChain({
    hooks,
    context: hookContext(run, call, { tool, demand }),
    args: call.args,
    call: innermost,
    hookTimeoutMs: run.definition.limits.hookTimeout,
    clock: run.root.clock,
    cancellation: run.cancellation,
  })
}

function toFirstAttempt(result: ToolResult): ExecutedCall {
  return { result, attempts: 1 }
}

interface ToolAttempt {
  readonly call: PreparedCall
  readonly tool: ToolDefinition
  readonly args: JsonObject
  readonly attempt: number
  readonly demand: ApprovalDemand
}

/** Runs the tool at the end of the hook chain. Checks permission, and arguments that a hook changed. */
function callTool(run: Run, attempt: ToolAttempt, context: RunContext): MaybePromise<ToolResult> {
  const { call, tool, args, demand } = attempt
  if (run.cancellation.reason !== undefined) return toolResult.failed(run.cancellation.reason)
  if (args !== call.args && isJsonTooDeep(args)) return tooDeepArguments(tool)
  const valid =
    args === call.args ? { ok: true as const, args } : run.prepared?.validate(acceptedSchemaOf(tool), args)
  if (valid?.ok !== true) return badArguments(tool, valid?.problems ?? [])
  const check = { site: call.site, tool, args: valid.args, attempt: attempt.attempt, demand }
  return whenKnown(
    permitCall(run, check),
    (refusal) => refusal ?? startTool(run, { ...attempt, args: valid.args }, context),
  )
}

/** Starts a tool. A `once` tool only starts after its start is persisted. */
function startTool(run: Run, attempt: ToolAttempt, context: RunContext): MaybePromise<ToolResult> {
  const isOnce = attempt.tool.effect === 'once'
  if (isOnce && run.root.onceCalls?.start(onceKey(run, attempt.call)) === false)
    return waitForInterruption(run)
  writeStart(run, attempt)
  const keeping = isOnce ? waitUntilPersisted(run) : undefined
  return whenKnown(keeping, () => {
    if (run.cancellation.reason !== undefined) return toolResult.failed(run.cancellation.reason)
    return attempt.tool.source === 'agent' ? runAgent(run, attempt, context) : runTool(run, attempt, context)
  })
}

/** Returns the key of a call among the `once` calls of its run tree. */
export function onceKey(run: Run, { site }: Pick<PreparedCall, 'site'>): string {
  return `${run.request.runId}:${site.callId}`
}

/**
 * Waits for the interruption of the run tree, so that the call neither starts nor gets a result before it.
 */
function waitForInterruption(run: Run): Promise<ToolResult> {
  return new Promise((resolve) => {
    run.cancellation.onCancel((reason) => resolve(toolResult.failed(reason)))
  })
}

function writeStart(run: Run, { call, tool, args, attempt }: ToolAttempt): void {
  if (!hasListeners(run)) return
  const { callId } = call.site
  const step = isPersistent(run)
    ? { key: `start:${callId}#${attempt}`, value: { toolName: tool.name, args } }
    : undefined
  appendEventDraft(run, { ...envelopeOf(run, 'tool-start', callId), toolName: tool.name, attempt }, step)
}

/**
 * Runs an agent tool. The child has its own deadline, ends by itself when its parent is cancelled, and its
 * end is appended before the parent's.
 */
function runAgent(run: Run, attempt: ToolAttempt, context: RunContext): MaybePromise<ToolResult> {
  const { tool, args } = attempt
  const { cancellation } = run
  try {
    const working = tool.execute(
      args,
      new ToolCallContext(run, attempt, { stop: cancellation, context, work: undefined }),
    )
    if (!(working instanceof Promise)) return normaliseResult(working)
    return working
      .then((value) => normaliseResult(value))
      .catch((thrown: unknown) => failedTool(cancellation, thrown))
  } catch (thrown) {
    return failedTool(cancellation, thrown)
  }
}

/** Runs any other tool until it ends, times out or is cancelled. It is abandoned if it ignores that. */
async function runTool(run: Run, attempt: ToolAttempt, context: RunContext): Promise<ToolResult> {
  const { tool, args } = attempt
  const stop = createCancellation(run.cancellation)
  const gate = run.root.approvalGate
  const work = gate === undefined ? undefined : trackActivity(gate)
  try {
    const own = new ToolCallContext(run, attempt, { stop, context, work })
    const working = tool.execute(args, own)
    if (!(working instanceof Promise)) return normaliseResult(working, tool.source)
    const value: unknown = await waitForTool(run, tool, working, { stop, context: own })
    return stop.reason === undefined ? normaliseResult(value, tool.source) : toolResult.failed(stop.reason)
  } catch (thrown) {
    return failedTool(stop, thrown)
  } finally {
    work?.end()
    stop.detach()
  }
}

/** Converts a thrown value to a result. If the call was cancelled, the reason for that is the failure. */
function failedTool({ reason }: Cancellation, thrown: unknown): ToolResult {
  return toolResult.failed(reason ?? toolFailure(thrown))
}

/** Creates the context of a tool that is called during replay. */
export function createReplayContext(
  run: Run,
  call: { readonly call: PreparedCall; readonly tool: ToolDefinition; readonly attempt: number },
  context: RunContext,
): ToolContext {
  const attempt: ToolAttempt = { ...call, args: call.call.args, demand: { isMade: false } }
  return new ToolCallContext(run, attempt, { stop: run.cancellation, context, work: undefined })
}

/** Waits for a tool, at most until its timeout. */
async function waitForTool(
  run: Run,
  tool: ToolDefinition,
  working: Promise<unknown>,
  { stop, context }: { readonly stop: Cancellation; readonly context: ToolCallContext },
): Promise<unknown> {
  const late = (): void => warnLateResult(run, { name: tool.name, callId: context.site.callId })
  const ms = tool.timeoutMs ?? run.definition.limits.toolTimeout
  const onExpire = (): void =>
    stop.cancel(failure('tool_timeout', `${tool.name} did not finish within ${ms} ms.`))
  const deadline = createDeadline({ ms, clock: run.root.clock, above: run.deadline, onExpire })
  context.deadline = deadline
  try {
    return await raceOwnCancellation(working, stop)
  } finally {
    deadline.clear()
    if (stop.reason !== undefined) working.then(late, ignoreFailure)
  }
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
  /** Deadline of the call. `undefined` until the tool has returned its promise. */
  deadline: Deadline | undefined
  readonly #run: Run
  readonly #tool: ToolDefinition
  readonly #stop: Cancellation
  readonly #work: ActivityTracker | undefined
  #questions = 0

  constructor(
    run: Run,
    { call, tool, attempt }: ToolAttempt,
    parts: {
      readonly stop: Cancellation
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
  }

  readonly progress: ToolContext['progress'] = (text) =>
    emitTransient(this.#run, 'tool-progress', { toolName: this.#tool.name, text }, this.site.callId)

  readonly ask: ToolContext['ask'] = async (question) => {
    this.#questions += 1
    const ordinal = this.#questions
    // a tool may ask before it returns its promise, and only then does its deadline start
    await Promise.resolve()
    const clocks = { deadline: this.deadline ?? this.#run.deadline, cancellation: this.#stop }
    const { name: toolName, effect } = this.#tool
    const { callId } = this.site
    const call = { callId, toolName, attempt: this.attempt, ordinal, mayWait: effect !== 'once', clocks }
    const resume = this.#work?.pause()
    try {
      return await askQuestion(this.#run, question, call)
    } finally {
      resume?.()
    }
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  get stop(): CancellationToken {
    return this.#stop
  }
}

function hookContext(
  run: Run,
  call: PreparedCall,
  { tool, demand }: { readonly tool: ToolDefinition; readonly demand: ApprovalDemand },
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
    state: (scope) => (scope === 'root' ? run.root.state : (run.hookState ??= new Map<string, unknown>())),
    log: (text) => emitTransient(run, 'log', { text }, call.site.callId),
    clock: run.root.clock,
    random: () => run.root.random(),
    hideSecrets: (text) => redacted(run, text),
    requireApproval: (reason) => {
      demand.isMade = true
      demand.reason ??= reason
    },
    isDenied: (args) => {
      const decided = run.prepared?.permission.ofCall(tool, args)
      return decided === undefined || whenKnown(decided, ({ decision }) => decision === 'deny')
    },
  }
}

/**
 * Returns the recorded result of a call. Runs no hooks and no tools, only the children that the call had
 * started. `undefined` if the run was cancelled.
 */
export async function replayCall(
  run: Run,
  call: PreparedCall,
  { replay, context }: { readonly replay: RunTreeReplay; readonly context: RunContext },
): Promise<ExecutedCall | undefined> {
  const recorded = replay.call(run.request.runId, call.site.callId)
  for (const child of recorded.children) {
    if (run.cancellation.reason !== undefined) return undefined
    await openAgain(run, { call, child }, context)
  }
  return raceCancellation(recorded.result(), run.cancellation)
}

async function openAgain(
  run: Run,
  { call, child }: { readonly call: PreparedCall; readonly child: ReplayedCall['children'][number] },
  context: RunContext,
): Promise<void> {
  const { tool } = call
  if (tool?.agent !== child.agent) return
  const { attempt, args = call.args } = child
  await tool.execute(args, createReplayContext(run, { call, tool, attempt }, context))
}
