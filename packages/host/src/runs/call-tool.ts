import { redactValues } from '@troupe/env'
import { createInProcessExecutor } from '@troupe/registry'
import {
  coerceToolResult,
  failure,
  toolResult,
  type Json,
  type JsonObject,
  type LanguageModel,
  type ModelHandle,
  type PreparedAgent,
  type Redactor,
  type RunEvent,
  type RunOptions,
  type ToolDefinition,
  type ToolHook,
  type ToolResult,
} from '@troupe/schema'
import type { CheckedAgent } from '../check/check-agent.ts'
import type { Generation } from '../generation.ts'
import { oneCallModel } from './one-call-model.ts'
import type { RootRuns } from '../roots/root-runs.ts'

/** One call of one tool. */
export interface ToolCallRequest {
  /** Canonical or wire name. */
  readonly tool: string
  readonly args: JsonObject
  readonly options: RunOptions
}

/** What a call needs of its host. */
export interface ToolCallHost {
  readonly generation: Generation
  readonly roots: RootRuns
}

/**
 * Runs one tool of an agent down the one path of all calls (R8): a run of the agent whose model does nothing but make this call, so validation, hooks,
 * permission, limits and events are those of every run. Never rejects for what the tool does.
 */
export async function callTool(
  agent: CheckedAgent,
  request: ToolCallRequest,
  { generation, roots }: ToolCallHost,
): Promise<ToolResult> {
  const { loaded, preparer } = generation
  const { definition } = agent.member
  const seen = watchResult(request.options.onEvent)
  const starter = createInProcessExecutor({
    catalogue: loaded.catalogue,
    prepare: async (_definition, run, options) => {
      const prepared = await preparer.prepare(agent, run, {
        ...options,
        principal: run.principal,
        models: [],
      })
      return forOneCall(prepared, request, (hooks) => seen.hooks(hooks, loaded.redactor))
    },
  })
  const report = await roots.start({
    team: generation,
    definition: Object.freeze({
      ...definition,
      output: { format: 'text' as const },
      limits: { ...definition.limits, maxTurns: 2, maxRetries: 0 },
    }),
    input: '',
    options: { ...request.options, onEvent: seen.listener },
    starter,
    isSingle: true,
  })
  return (
    seen.result() ?? toolResult.failed(report.error ?? failure('internal', `${request.tool} gave no result.`))
  )
}

/** The session of one call: the agent's own but for its model and its loop hooks, as there is no loop. */
function forOneCall(
  prepared: PreparedAgent,
  { tool, args }: ToolCallRequest,
  watched: (hooks: readonly ToolHook[]) => readonly ToolHook[],
): PreparedAgent {
  const model = oneCallModel(wireNameOf(prepared.tools, tool), args)
  const { compose: _compose, ...session } = prepared
  return {
    ...session,
    models: [handleOf(model)],
    hooks: watched(prepared.hooks),
    loopHooks: {},
  }
}

function handleOf(model: LanguageModel): ModelHandle {
  const id = `${model.provider}/${model.modelId}`
  const free = { input: 0, output: 0 }
  return { id, provider: model.provider, lane: id, price: free, open: () => model }
}

function wireNameOf(tools: ReadonlyMap<string, ToolDefinition>, name: string): string {
  if (tools.has(name)) return name
  for (const [wireName, tool] of tools) if (tool.name === name) return wireName
  return name
}

interface WatchedResult {
  readonly listener: (event: RunEvent) => void
  /** The same hooks, the outermost of which lets see what events do not carry: none is added, so that messages number them as the card does. */
  hooks(hooks: readonly ToolHook[], redactor: Redactor | undefined): readonly ToolHook[]
  result(): ToolResult | undefined
}

/** The result as the model would get it, secrets hidden and size capped, is that of the event. */
function watchResult(onEvent: RunOptions['onEvent']): WatchedResult {
  let told: Extract<RunEvent, { readonly type: 'tool-result' }> | undefined
  let structured: Json | undefined
  return {
    listener: (event) => {
      if (event.type === 'tool-result' && event.runId === event.rootRunId) told = event
      onEvent?.(event)
    },
    hooks: ([first = passOn, ...others], redactor) => {
      const watched: ToolHook = async (ctx, args, callNext) => {
        const result = await first(ctx, args, callNext)
        const found = coerceToolResult(result)?.structured
        structured = found === undefined ? undefined : hideIn(found, redactor)
        return result
      }
      return [Object.defineProperty(watched, 'name', { value: first.name }), ...others]
    },
    result: () => {
      if (told === undefined) return undefined
      return {
        outcome: told.outcome,
        content: told.content,
        ...(structured === undefined ? {} : { structured }),
        ...(told.error === undefined ? {} : { failure: told.error }),
        ...(told.childRunId === undefined ? {} : { childRunId: told.childRunId }),
      }
    },
  }
}

const passOn: ToolHook = (_ctx, args, callNext) => callNext(args)

function hideIn(value: Json, redactor: Redactor | undefined): Json {
  return redactor === undefined ? value : redactValues(value, redactor.redact)
}
