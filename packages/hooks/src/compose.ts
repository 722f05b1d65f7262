import {
  toFailure,
  toolResult,
  type Clock,
  type HookContext,
  type JsonObject,
  type MaybePromise,
  type StopSource,
  type ToolHook,
  type ToolResult,
} from '@troupe/schema'
import { copyArguments } from './copy-arguments.ts'
import { cancelledCall } from './hook-failure.ts'
import { runHook, type Link } from './run-hook.ts'
import { stopOf } from './stop-of.ts'
import { createWorkTimer } from './work-timer.ts'

/** One tool call and the hooks around it. */
export interface HookChain {
  /** In declared order: the first is the outermost (B37). */
  readonly hooks: readonly ToolHook[]
  readonly context: Omit<HookContext, 'originalToolFunc'>
  readonly args: JsonObject
  /** The innermost link. `attempt` counts 1, 2, … over the whole chain. */
  call(args: JsonObject, attempt: number): MaybePromise<ToolResult>
  /** How long one hook may work for itself, in ms; what it calls does not count. */
  readonly hookTimeoutMs: number
  readonly clock: Clock
  /** What stops the run, where it is known by something that costs less than the signal of the context. */
  readonly stop?: StopSource
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
  const call: Link = async (args, caller) => {
    attempts += 1
    try {
      return await chain.call(args, attempts)
    } catch (thrown) {
      return toolResult.failed(toFailure(thrown, 'tool_failed'))
    } finally {
      caller?.resume()
    }
  }
  if (chain.hooks.length === 0) return { result: await call(chain.args), attempts }
  try {
    return { result: await runLayers(chain, call), attempts }
  } catch (thrown) {
    return { result: toolResult.failed(toFailure(thrown)), attempts }
  }
}

/** The index of a layer is an argument, never state: each layer may be entered again, also while it runs (decision 4). */
function runLayers(chain: HookChain, call: Link): Promise<ToolResult> {
  const { context, clock, hookTimeoutMs: timeoutMs, stop = stopOf(context.signal) } = chain
  const timer = createWorkTimer({ clock, ms: timeoutMs, stop })
  const unlessStopped =
    (link: Link): Link =>
    (args, caller) => {
      if (stop.reason === undefined) return link(args, caller)
      caller?.resume()
      return Promise.resolve(cancelledCall(context.toolName))
    }
  const innermost = unlessStopped(call)
  const toLink = (index: number): Link => {
    const hook = chain.hooks[index]
    if (hook === undefined) return innermost
    const next = toLink(index + 1)
    // every call on is copied where it is made, so what arrives here belongs to this layer alone
    return unlessStopped((args, caller) =>
      runHook({ hook, index, args, caller, next, innermost, context, timer, stop, timeoutMs }),
    )
  }
  return toLink(0)(copyArguments(chain.args))
}
