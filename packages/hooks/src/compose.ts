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
import { frozenCopy, mutableCopy } from './copy-arguments.ts'
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
 * A hook gets a copy of the arguments of its own and may change it (B34); the innermost link gets `args` itself when nothing changed them, else a copy of its own.
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
  const result = await runLayers(chain, call, () => attempts).catch((thrown: unknown) =>
    toolResult.failed(toFailure(thrown)),
  )
  return { result, attempts }
}

/** The index of a layer is an argument, never state: each layer may be entered again, also while it runs (decision 4). */
async function runLayers(chain: HookChain, call: CallNext, attempts: () => number): Promise<ToolResult> {
  const first = frozenCopy(chain.args)
  const innermost: CallNext = async (args) => {
    if (chain.context.signal.aborted) return cancelledCall(chain.context.toolName)
    // later attempts get a copy: the tool may have changed what the first one got
    return call(args === first && attempts() === 0 ? chain.args : mutableCopy(args))
  }
  const enter = async (index: number, args: JsonObject): Promise<ToolResult> => {
    const hook = chain.hooks[index]
    if (hook === undefined) return innermost(args)
    if (chain.context.signal.aborted) return cancelledCall(chain.context.toolName)
    return runHook(chain, { hook, index, args, next: (changed) => enter(index + 1, changed), innermost })
  }
  return enter(0, first)
}
