import {
  coerceToolResult,
  errorMessage,
  type CallNext,
  type JsonObject,
  type ToolResult,
} from '@troupe/schema'
import { startActiveTimer, type ActiveTimer } from './active-timer.ts'
import type { HookChain } from './compose.ts'
import { copyArguments } from './copy-arguments.ts'
import {
  cancelledCall,
  hookMisused,
  hookThrew,
  hookTookTooLong,
  hookWithoutResult,
  type HookPlace,
} from './hook-failure.ts'

/** One hook about to run. */
export interface HookLayer extends HookPlace {
  /** A copy of the hook's own, which it may change (B34). */
  readonly args: JsonObject
  readonly next: CallNext
  readonly innermost: CallNext
}

/** Runs one hook until it ends or its own time is used up; a hook that hangs is abandoned and what it does later is ignored. Never rejects. */
export async function runHook(chain: HookChain, layer: HookLayer): Promise<ToolResult> {
  const { clock, hookTimeoutMs, context } = chain
  const timer = startActiveTimer({ clock, ms: hookTimeoutMs, signal: context.signal })
  const late = timer.due.then(() =>
    context.signal.aborted ? cancelledCall(context.toolName) : hookTookTooLong(layer, hookTimeoutMs),
  )
  try {
    const value = await Promise.race([callHook(chain, layer, timer), late])
    return coerceToolResult(value) ?? hookWithoutResult(layer, value)
  } catch (thrown) {
    return hookThrew(layer, thrown)
  } finally {
    timer.stop()
  }
}

async function callHook(chain: HookChain, layer: HookLayer, timer: ActiveTimer): Promise<unknown> {
  const originalToolFunc = callOn(layer, timer, layer.innermost)
  const context = Object.freeze({ ...chain.context, originalToolFunc })
  return layer.hook(context, layer.args, callOn(layer, timer, layer.next))
}

/** What a hook calls on with: its clock stands still meanwhile, and after its end nothing is run for it any more. */
function callOn(layer: HookLayer, timer: ActiveTimer, call: CallNext): CallNext {
  return async (args) => {
    if (timer.over()) return hookMisused(layer, 'called on after it had ended.')
    let copy: JsonObject
    try {
      copy = copyArguments(args)
    } catch (thrown) {
      return hookMisused(layer, `passed on bad arguments: ${errorMessage(thrown)}`)
    }
    const resume = timer.pause()
    try {
      return await call(copy)
    } finally {
      resume()
    }
  }
}
