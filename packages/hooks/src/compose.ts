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
import { cancelledCall, hookThrew, type HookPlace } from './hook-failure.ts'
import { runHook, type Layers } from './run-hook.ts'
import { stopOf } from './stop-of.ts'
import { createWorkTimer, type HookTime, type WorkTimer } from './work-timer.ts'

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
 * Runs a tool call through its hooks (B32–B39, R10). Never rejects: an exception that no earlier hook catches becomes
 * `hook_failed`, a missing result `hook_no_result`, a hook that hangs `hook_timeout`; an abort ends the call as `run_cancelled` before the next layer.
 * A hook gets a copy of the arguments of its own and may change it (B34); so does the innermost link, unless there is no hook.
 */
export async function runHookChain(chain: HookChain): Promise<HookChainResult> {
  if (chain.hooks.length === 0)
    return { result: await callTool(chain, chain.args, { attempt: 1 }), attempts: 1 }
  const running = new RunningChain(chain)
  try {
    return { result: await running.enter(0, copyArguments(chain.args)), attempts: running.attempts }
  } catch (thrown) {
    return { result: running.failed(thrown), attempts: running.attempts }
  }
}

/** The innermost link. */
async function callTool(
  chain: HookChain,
  args: JsonObject,
  { attempt, caller }: { readonly attempt: number; readonly caller?: HookTime | undefined },
): Promise<ToolResult> {
  try {
    return await chain.call(args, attempt)
  } catch (thrown) {
    return toolResult.failed(toFailure(thrown, 'tool_failed'))
  } finally {
    caller?.resume()
  }
}

/** A class, as every call with hooks has one: closures for each layer cost as much as the hooks. */
class RunningChain implements Layers {
  readonly context: HookChain['context']
  readonly timeoutMs: number
  readonly timer: WorkTimer
  readonly stop: StopSource
  readonly innermost: number
  attempts = 0
  readonly #chain: HookChain
  #thrown: { readonly value: unknown; readonly layer: HookPlace } | undefined

  constructor(chain: HookChain) {
    const { hooks, context, hookTimeoutMs: ms, clock, stop = stopOf(context.signal) } = chain
    this.context = context
    this.timeoutMs = ms
    this.timer = createWorkTimer({ clock, ms, stop })
    this.stop = stop
    this.innermost = hooks.length
    this.#chain = chain
  }

  threw(layer: HookPlace, value: unknown): void {
    // the same exception passes every hook that does not catch it
    if (this.#thrown === undefined || this.#thrown.value !== value) this.#thrown = { value, layer }
  }

  /** Returns the result of an exception that no hook caught. */
  failed(thrown: unknown): ToolResult {
    const known = this.#thrown
    if (known === undefined || known.value !== thrown) return toolResult.failed(toFailure(thrown))
    return hookThrew(known.layer, thrown)
  }

  /** The index of a layer is an argument, never state: each layer may be entered again, also while it runs (decision 4). */
  enter(index: number, args: JsonObject, caller?: HookTime): Promise<ToolResult> {
    if (this.stop.reason !== undefined) {
      caller?.resume()
      return Promise.resolve(cancelledCall(this.context.toolName))
    }
    const hook = this.#chain.hooks[index]
    if (hook !== undefined) return runHook(this, { hook, index, args, caller })
    this.attempts += 1
    return callTool(this.#chain, args, { attempt: this.attempts, caller })
  }
}
