import {
  toFailure,
  toolResult,
  type CallNext,
  type Clock,
  type HookContext,
  type JsonObject,
  type ToolHook,
  type ToolResult,
} from '@troupe/schema'
import { copyArguments } from './copy-arguments.ts'
import { cancelledCall } from './hook-failure.ts'
import { runHook } from './run-hook.ts'

/** One tool call and the hooks around it. */
export interface HookChain {
  /** In declared order: the first is the outermost (B37). */
  readonly hooks: readonly ToolHook[]
  readonly context: Omit<HookContext, 'originalToolFunc'>
  readonly args: JsonObject
  /** The innermost link. `attempt` counts 1, 2, … over the whole chain. */
  call(args: JsonObject, attempt: number): Promise<ToolResult>
  /** How long one hook may work for itself, in ms; what it calls does not count. */
  readonly hookTimeoutMs: number
  readonly clock: Clock
}

/** What came out, and how often the innermost link was reached. */
export interface HookChainResult {
  readonly result: ToolResult
  readonly attempts: number
}

/**
 * Runs a tool call through its hooks (B32–B39, R10). Never rejects: a hook that throws is `hook_failed`, one that returns no result
 * `hook_no_result`, one that hangs `hook_timeout`; an abort ends the call as `run_cancelled` before the next layer.
 * A hook gets a copy of the arguments of its own and may change it (B34); so does the innermost link, unless there is no hook.
 */
export async function runHookChain(chain: HookChain): Promise<HookChainResult> {
  let attempts = 0
  const call: CallNext = async (args) => {
    attempts += 1
    try {
      return await chain.call(args, attempts)
    } catch (thrown) {
      return toolResult.failed(toFailure(thrown, 'tool_failed'))
    }
  }
  if (chain.hooks.length === 0) return { result: await call(chain.args), attempts }
  const result = await runLayers(chain, call).catch((thrown: unknown) => toolResult.failed(toFailure(thrown)))
  return { result, attempts }
}

/** The index of a layer is an argument, never state: each layer may be entered again, also while it runs (decision 4). */
async function runLayers(chain: HookChain, call: CallNext): Promise<ToolResult> {
  const { signal, toolName } = chain.context
  const innermost: CallNext = async (args) => (signal.aborted ? cancelledCall(toolName) : call(args))
  const enter = async (index: number, args: JsonObject): Promise<ToolResult> => {
    const hook = chain.hooks[index]
    if (hook === undefined) return innermost(args)
    if (signal.aborted) return cancelledCall(toolName)
    // every call on is copied where it is made, so what arrives here belongs to this layer alone
    return runHook(chain, { hook, index, args, next: (changed) => enter(index + 1, changed), innermost })
  }
  return enter(0, copyArguments(chain.args))
}
