import { runHookChain } from '@troupe/hooks'
import {
  errorMessage,
  failure,
  toolResult,
  TroupeError,
  type HookContext,
  type JsonObject,
  type RunContext,
  type ToolContext,
  type ToolDefinition,
  type ToolResult,
} from '@troupe/schema'
import { normaliseResult } from './normalise-result.ts'
import { permitCall } from './permit-call.ts'
import { badArguments, type CallToRun } from './prepare-call.ts'
import { tell, write, type Run } from './run.ts'
import { createStop, untilStop, type Stop } from './stop.ts'

/** What a call gave, after how many attempts. */
export interface ExecutedCall {
  readonly result: ToolResult
  readonly attempts: number
}

/** Second third of a call: through the hook chain to the tool, whatever its kind (R8, R10). Never rejects. */
export async function executeCall(run: Run, call: CallToRun, context: RunContext): Promise<ExecutedCall> {
  const { tool } = call
  if (tool === undefined)
    return { result: toolResult.error('tool_unknown', `Unknown tool: ${call.wireName}`), attempts: 0 }
  const hooks = run.prepared?.hooks ?? []
  const innermost = (args: JsonObject, attempt: number): Promise<ToolResult> =>
    callTool(run, { call, tool, args, attempt }, context)
  if (hooks.length === 0) return { result: await innermost(call.args, 1), attempts: 1 }
  return runHookChain({
    hooks,
    context: hookContext(run, call, tool),
    args: call.args,
    call: innermost,
    hookTimeoutMs: run.definition.limits.hookTimeout,
    clock: run.root.clock,
  })
}

interface Attempt {
  readonly call: CallToRun
  readonly tool: ToolDefinition
  readonly args: JsonObject
  readonly attempt: number
}

/** The innermost link (decision 16): validate what a hook changed, ask for permission, run. */
async function callTool(run: Run, attempt: Attempt, context: RunContext): Promise<ToolResult> {
  const { call, tool, args } = attempt
  if (run.stop.reason !== undefined) return toolResult.failed(run.stop.reason)
  const valid =
    args === call.args ? { ok: true as const, args } : run.prepared?.validate(tool.inputSchema, args)
  if (valid?.ok !== true) return badArguments(tool, valid?.problems ?? [])
  const refusal = await permitCall(run, { site: call.site, tool, args: valid.args, attempt: attempt.attempt })
  if (refusal !== undefined) return refusal
  const { site } = call
  write(
    run,
    'tool-start',
    { toolName: tool.name, attempt: attempt.attempt },
    {
      callId: site.callId,
      step: {
        key: `start:${site.callId}#${attempt.attempt}`,
        value: { toolName: tool.name, args: valid.args },
      },
    },
  )
  if (tool.effect === 'once') await run.root.log.durable()
  return runTool(run, { ...attempt, args: valid.args }, context)
}

/** Runs the tool until it ends, its time is over, or the run stops. A tool that ignores its signal is abandoned (decision 5). */
async function runTool(run: Run, attempt: Attempt, context: RunContext): Promise<ToolResult> {
  const { tool } = attempt
  const stop = createStop(run.stop)
  const cancel = startTimer(run, tool, stop)
  try {
    const working = tool.execute(attempt.args, toolContext(run, attempt, { stop, context }))
    if (!(working instanceof Promise)) return normaliseResult(working)
    // a child ends by itself when its parent stops, and its end is told before the parent's
    const value: unknown = tool.source === 'agent' ? await working : await untilStop(working, stop)
    return stop.reason === undefined || tool.source === 'agent'
      ? normaliseResult(value)
      : toolResult.failed(stop.reason)
  } catch (thrown) {
    return stop.reason === undefined ? toolResult.failed(toolFailure(thrown)) : toolResult.failed(stop.reason)
  } finally {
    cancel()
    stop.detach()
  }
}

/** An agent's clock is its child's; every other tool has one of its own. */
function startTimer(run: Run, tool: ToolDefinition, stop: Stop): () => void {
  if (tool.source === 'agent') return () => undefined
  const ms = tool.timeoutMs ?? run.definition.limits.toolTimeout
  return run.root.clock.after(ms, () =>
    stop.stop(failure('tool_timeout', `${tool.name} did not finish within ${ms} ms.`)),
  )
}

function toolFailure(thrown: unknown): ReturnType<typeof failure> {
  return TroupeError.isInstance(thrown) ? thrown.failure : failure('tool_failed', errorMessage(thrown))
}

function toolContext(
  run: Run,
  { call, tool, attempt }: Attempt,
  parts: { readonly stop: Stop; readonly context: RunContext },
): ToolContext {
  return {
    site: call.site,
    attempt,
    run: parts.context,
    get signal() {
      return parts.stop.signal
    },
    idempotencyKey: `${run.request.runId}:${call.site.callId}#${attempt}`,
    progress: (text) => tell(run, 'tool-progress', { toolName: tool.name, text }, call.site.callId),
  }
}

function hookContext(run: Run, call: CallToRun, tool: ToolDefinition): Omit<HookContext, 'originalToolFunc'> {
  return {
    agentName: run.request.agent.name,
    instanceName: run.request.instance,
    ...(tool.server === undefined ? {} : { serverName: tool.server }),
    toolName: tool.name,
    toolSource: tool.source,
    toolUseId: call.site.toolUseId,
    correlationId: `${run.request.runId}:${call.site.callId}`,
    signal: run.stop.signal,
    state: (scope) => (scope === 'root' ? run.root.state : (run.hookState ??= new Map<string, unknown>())),
    log: (text) => tell(run, 'log', { text }, call.site.callId),
  }
}
