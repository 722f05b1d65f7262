import { randomId } from '@troupe/core'
import { redactValues } from '@troupe/env'
import { createInProcessExecutor, type Warn } from '@troupe/registry'
import {
  coerceToolResult,
  failure,
  toolResult,
  troupeError,
  type Json,
  type JsonObject,
  type LanguageModel,
  type RunEvent,
  type RunOptions,
  type ToolDefinition,
  type ToolHook,
  type ToolResult,
} from '@troupe/schema'
import type { ModelHandle, PreparedAgent, Redactor } from '@troupe/schema/ports'
import type { CheckedAgent } from '../check/check-agent.ts'
import { problemFailure } from '../config/plan-problem.ts'
import { findAgent, requireRunnable } from '../plan/find-agent.ts'
import type { TeamSnapshot } from '../snapshot/team-snapshot.ts'
import { useTeam } from '../snapshot/team-snapshots.ts'
import { effectivePermission } from '../tools/effective-permission.ts'
import { toRequest } from './execute-root-run.ts'
import type { RunsContext } from './runs-context.ts'
import { startRootRun } from './start-root-run.ts'

/** A call of one tool. */
interface ToolCallRequest {
  /** Canonical name or wire name. */
  readonly tool: string
  readonly args: JsonObject
  readonly options: RunOptions
}

/**
 * Calls one tool of an agent. Runs the agent with a model that makes only this call, so that validation,
 * hooks, permissions, limits and events apply as in every run. Never rejects because the tool fails.
 */
export function callTool(
  name: string | undefined,
  call: ToolCallRequest,
  context: RunsContext,
): Promise<ToolResult> {
  return useTeam(context.team, async (snapshot) => {
    context.requireOpen()
    const agent = findAgent(snapshot.loaded, name)
    const blocker = snapshot.loaded.blocker(agent.member.definition.name)
    if (blocker !== undefined) return toolResult.failed(problemFailure(blocker))
    return runOneCall(agent, call, { snapshot, context })
  })
}

async function runOneCall(
  agent: CheckedAgent,
  call: ToolCallRequest,
  { snapshot, context }: { readonly snapshot: TeamSnapshot; readonly context: RunsContext },
): Promise<ToolResult> {
  const { loaded, preparer } = snapshot
  const capture = captureResult(call.options.onEvent)
  const { run } = createInProcessExecutor({
    catalogue: loaded.catalogue,
    prepare: async (_definition, { principal, ancestry }, options) => {
      const prepared = await preparer.prepare(agent, { ancestry }, { ...options, principal, models: [] })
      return forOneCall(prepared, call, (hooks) => capture.hooks(hooks, loaded.redactor))
    },
  })
  const { definition: own } = agent.member
  const definition = Object.freeze({
    ...own,
    output: { format: 'text' as const },
    limits: { ...own.limits, maxTurns: 2, maxRetries: 0 },
  })
  const options = { ...call.options, onEvent: capture.listener }
  const request = toRequest(definition, '', { ...options, runId: options.runId ?? randomId('run') })
  // Child runs of the call are those of the team.
  const team = { ...snapshot, executor: { ...snapshot.executor, run } }
  const report = await startRootRun({ team, definition, request, options, isSingle: true }, context)
  return (
    capture.result() ??
    toolResult.failed(report.error ?? failure('internal', `${call.tool} returned no result.`))
  )
}

/** Replaces the model and removes the loop hooks of a session. */
function forOneCall(
  prepared: PreparedAgent,
  { tool, args }: ToolCallRequest,
  wrapHooks: (hooks: readonly ToolHook[]) => readonly ToolHook[],
): PreparedAgent {
  const model = oneCallModel(wireNameOf(prepared.tools, tool), args)
  const { compose: _compose, guards, ...session } = prepared
  return {
    ...session,
    // The texts of the model below are not checked: they are constant.
    ...(guards === undefined ? {} : { guards: { ...guards, input: [], output: [] } }),
    models: [handleOf(model)],
    hooks: wrapHooks(prepared.hooks),
    loopHooks: {},
  }
}

function handleOf(model: LanguageModel): ModelHandle {
  const id = `${model.provider}/${model.modelId}`
  const free = { input: 0, output: 0 }
  return { id, provider: model.provider, limiterKey: id, price: free, open: () => model }
}

function wireNameOf(tools: ReadonlyMap<string, ToolDefinition>, name: string): string {
  if (tools.has(name)) return name
  for (const [wireName, tool] of tools) if (tool.name === name) return wireName
  return name
}

interface CapturedResult {
  readonly listener: (event: RunEvent) => void
  /**
   * Wraps the outermost hook to capture the structured result, which events do not contain. No hook is added,
   * so that messages number the hooks as the card does.
   */
  hooks(hooks: readonly ToolHook[], redactor: Redactor | undefined): readonly ToolHook[]
  result(): ToolResult | undefined
}

/** Captures the result from the event, where secrets are redacted and the size is capped as for the model. */
function captureResult(onEvent: RunOptions['onEvent']): CapturedResult {
  let resultEvent: Extract<RunEvent, { readonly type: 'tool-result' }> | undefined
  let structured: Json | undefined
  return {
    listener: (event) => {
      if (event.type === 'tool-result' && event.runId === event.rootRunId) resultEvent = event
      onEvent?.(event)
    },
    hooks: ([first = passOn, ...others], redactor) => {
      const watchedHook: ToolHook = async (ctx, args, callNext) => {
        const result = await first(ctx, args, callNext)
        const found = coerceToolResult(result)?.structured
        structured = found === undefined ? undefined : redactJson(found, redactor)
        return result
      }
      return [Object.defineProperty(watchedHook, 'name', { value: first.name }), ...others]
    },
    result: () => {
      if (resultEvent === undefined) return undefined
      return {
        outcome: resultEvent.outcome,
        content: resultEvent.content,
        ...(structured === undefined ? {} : { structured }),
        ...(resultEvent.error === undefined ? {} : { failure: resultEvent.error }),
        ...(resultEvent.childRunId === undefined ? {} : { childRunId: resultEvent.childRunId }),
      }
    },
  }
}

const passOn: ToolHook = (_ctx, args, callNext) => callNext(args)

function redactJson(value: Json, redactor: Redactor | undefined): Json {
  return redactor === undefined ? value : redactValues(value, redactor.redact)
}

type StreamResult = Awaited<ReturnType<LanguageModel['doStream']>>
type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never

/** Creates a model that calls one tool with the given arguments in its first turn and ends in its second. */
function oneCallModel(toolName: string, args: JsonObject): LanguageModel {
  let turns = 0
  return {
    specificationVersion: 'v4',
    provider: 'troupe',
    modelId: 'one-call',
    supportedUrls: {},
    doGenerate: () =>
      Promise.reject(troupeError('usage_invalid', 'The model of a single tool call only supports doStream.')),
    doStream: () => {
      turns += 1
      return Promise.resolve({ stream: streamOf(turns === 1 ? callParts(toolName, args) : endParts()) })
    },
  }
}

function callParts(toolName: string, args: JsonObject): readonly StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'tool-call', toolCallId: 'call', toolName, input: JSON.stringify(args) },
    finish('tool-calls'),
  ]
}

function endParts(): readonly StreamPart[] {
  const id = 'text'
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: 'done' },
    { type: 'text-end', id },
    finish('stop'),
  ]
}

function finish(reason: 'tool-calls' | 'stop'): StreamPart {
  return {
    type: 'finish',
    finishReason: { unified: reason, raw: reason },
    usage: {
      inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 0, text: 0, reasoning: 0 },
    },
  }
}

function streamOf(parts: readonly StreamPart[]): ReadableStream<StreamPart> {
  return new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

/** The tools of an agent and their permissions. */
export interface ToolLease {
  readonly tools: readonly ToolDefinition[]
  /** Returns whether a call of the tool runs, needs approval, or is denied. */
  permission(tool: ToolDefinition): 'allow' | 'ask' | 'deny'
  /**
   * Warnings for the user: filters without a match, renamed tools, messages of servers. Grows until
   * `release`.
   */
  readonly warnings: readonly string[]
  release(): Promise<void>
}

/** Leases the tools of an agent. The team snapshot is retained until the lease is released. */
export async function leaseTools(snapshot: TeamSnapshot, name: string | undefined): Promise<ToolLease> {
  const { loaded, preparer } = snapshot
  const agent = findAgent(loaded, name)
  requireRunnable(loaded, agent)
  const releaseSnapshot = snapshot.retain()
  const warnings: string[] = []
  const warn: Warn = ({ message }) => void warnings.push(message)
  try {
    const prepared = await preparer.tools(agent, { principal: 'local', warn })
    return {
      tools: [...prepared.tools.values()],
      warnings,
      permission: effectivePermission(agent.member.definition, []).ofTool,
      release: async () => {
        try {
          await prepared.release()
        } finally {
          releaseSnapshot()
        }
      },
    }
  } catch (thrown) {
    releaseSnapshot()
    throw thrown
  }
}
