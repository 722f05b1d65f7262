import {
  toFailure,
  toolResult,
  failure,
  type Clock,
  type HookContext,
  type JsonObject,
  type MaybePromise,
  type ToolHook,
  type ToolResult,
} from '@troupe/schema'
import type { CancellationToken } from '@troupe/schema/ports'
import {
  copyArguments,
  cancelledCall,
  hookThrewResult,
  type HookPosition,
  runHook,
  type HookLayers,
} from './run-hook.ts'
import { createWorkTimer, type HookTime, type WorkTimer } from './work-timer.ts'

/** A tool call and its hooks. */
export interface HookChain {
  /** The hooks in declared order; the first is the outermost. */
  readonly hooks: readonly ToolHook[]
  /** The context of the call, which every hook receives. */
  readonly context: Omit<HookContext, 'originalToolFunc'>
  /** The arguments of the call. */
  readonly args: JsonObject
  /** Calls the tool itself. `attempt` counts 1, 2, … over the whole chain. */
  call(args: JsonObject, attempt: number): MaybePromise<ToolResult>
  /** Maximum time (ms) that one hook may take itself; time spent in the calls it makes does not count. */
  readonly hookTimeoutMs: number
  /** The time. */
  readonly clock: Clock
  /** Cancellation of the run, if the caller has a cheaper source than `context.signal`. */
  readonly cancellation?: CancellationToken
}

/** The result of a hook chain and the number of times the tool was called. */
export interface HookChainResult {
  /** The result of the outermost hook. */
  readonly result: ToolResult
  /** How often the hooks called the tool. */
  readonly attempts: number
}

/**
 * Runs a tool call through its hooks. Never rejects: an exception that no earlier hook catches becomes
 * `hook_failed`, a missing result `hook_no_result`, and a hook that hangs `hook_timeout`; cancellation ends
 * the call as `run_cancelled` before the next layer.
 * Each hook gets its own copy of the arguments and may change it. The tool gets a copy too, unless there are
 * no hooks.
 */
export async function runHookChain(chain: HookChain): Promise<HookChainResult> {
  if (chain.hooks.length === 0)
    return { result: await callTool(chain, chain.args, { attempt: 1 }), attempts: 1 }
  const running = new RunningChain(chain)
  try {
    const result = await running.enter(0, copyArguments(chain.args))
    return { result: running.hasToolFailed ? result : withHookFix(result), attempts: running.attempts }
  } catch (thrown) {
    return { result: running.failed(thrown), attempts: running.attempts }
  }
}

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

const HOOK_FIX =
  'Change the hook that denied the call (`toolHooks` of the card), or continue without the call.'

/** Replaces a fix that blames a rule or the tool, if a hook made the failure. A fix of the hook's own is kept. */
function withHookFix(result: ToolResult): ToolResult {
  const made = result.failure
  if (made === undefined || (made.code !== 'permission_denied' && made.code !== 'tool_failed')) return result
  const isStandard = made.remediation === failure(made.code, made.message).remediation
  return isStandard ? { ...result, failure: { ...made, remediation: HOOK_FIX } } : result
}

/**
 * A class, because every call with hooks creates one and closures per layer would cost as much as the hooks.
 */
class RunningChain implements HookLayers {
  readonly context: HookChain['context']
  readonly timeoutMs: number
  readonly timer: WorkTimer
  readonly cancellation: CancellationToken
  readonly innermost: number
  attempts = 0
  /** True if a call of the tool itself has failed. */
  hasToolFailed = false
  readonly #chain: HookChain
  #thrown: { readonly value: unknown; readonly layer: HookPosition } | undefined

  constructor(chain: HookChain) {
    const { hooks, context, hookTimeoutMs: ms, clock, cancellation = toCancellation(context.signal) } = chain
    this.context = context
    this.timeoutMs = ms
    this.timer = createWorkTimer({ clock, ms, cancellation })
    this.cancellation = cancellation
    this.innermost = hooks.length
    this.#chain = chain
  }

  recordThrow(layer: HookPosition, value: unknown): void {
    // The same exception passes through every hook that does not catch it.
    if (this.#thrown === undefined || this.#thrown.value !== value) this.#thrown = { value, layer }
  }

  /** Returns the result for an exception that no hook caught. */
  failed(thrown: unknown): ToolResult {
    const known = this.#thrown
    if (known === undefined || known.value !== thrown) return toolResult.failed(toFailure(thrown))
    return hookThrewResult(known.layer, thrown)
  }

  /**
   * Runs the layer at `index`. The index is an argument and not state, because a layer may be entered again,
   * even while it runs.
   */
  enter(index: number, args: JsonObject, caller?: HookTime): Promise<ToolResult> {
    if (this.cancellation.reason !== undefined) {
      caller?.resume()
      return Promise.resolve(cancelledCall(this.context.toolName))
    }
    const hook = this.#chain.hooks[index]
    if (hook !== undefined) return runHook(this, { hook, index, args, caller })
    this.attempts += 1
    return this.#callTool(args, caller)
  }

  async #callTool(args: JsonObject, caller: HookTime | undefined): Promise<ToolResult> {
    const result = await callTool(this.#chain, args, { attempt: this.attempts, caller })
    if (result.failure !== undefined) this.hasToolFailed = true
    return result
  }
}

/** Adapts an abort signal to a `CancellationToken`. */
function toCancellation(signal: AbortSignal): CancellationToken {
  const reasonOf = (): ReturnType<typeof failure> => failure('run_cancelled', 'The run was stopped.')
  return {
    get reason() {
      return signal.aborted ? reasonOf() : undefined
    },
    onCancel: (fn) => {
      const abort = (): void => fn(reasonOf())
      if (signal.aborted) abort()
      else signal.addEventListener('abort', abort, { once: true })
      return () => signal.removeEventListener('abort', abort)
    },
  }
}
