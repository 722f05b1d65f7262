import {
  coerceToolResult,
  errorMessage,
  type CallNext,
  type HookContext,
  type JsonObject,
  type StopSource,
  type ToolResult,
} from '@troupe/schema'
import { copyArguments } from './copy-arguments.ts'
import {
  cancelledCall,
  hookMisused,
  hookThrew,
  hookTookTooLong,
  hookWithoutResult,
  type HookPlace,
} from './hook-failure.ts'
import type { HookTime, WorkTimer } from './work-timer.ts'

/** The rest of a chain. It is handed what it may keep and change, and resumes the time of its caller when it ends. */
export type Link = (args: JsonObject, caller?: HookTime) => Promise<ToolResult>

/** One hook about to run. */
export interface HookLayer extends HookPlace {
  /** A copy of the hook's own, which it may change (B34). */
  readonly args: JsonObject
  readonly caller: HookTime | undefined
  readonly next: Link
  readonly innermost: Link
  readonly context: Omit<HookContext, 'originalToolFunc'>
  readonly timer: WorkTimer
  readonly timeoutMs: number
  readonly stop: StopSource
}

/**
 * Runs one hook until it ends or its own time is used up; a hook that hangs is abandoned and what it does later is ignored. Never rejects.
 * One promise and one listener, no race: three hooks around every call must not cost as much as the call.
 */
export function runHook(layer: HookLayer): Promise<ToolResult> {
  return new Promise((resolve) => {
    const end = (result: ToolResult): void => {
      if (!time.end()) return
      layer.caller?.resume()
      resolve(result)
    }
    const time = layer.timer.start(() => end(tooLate(layer)))
    try {
      Promise.resolve(callHook(layer, time)).then(
        (value) => end(toResult(layer, value)),
        (thrown: unknown) => end(hookThrew(layer, thrown)),
      )
    } catch (thrown) {
      end(hookThrew(layer, thrown))
    }
  })
}

function tooLate(layer: HookLayer): ToolResult {
  return layer.stop.reason === undefined
    ? hookTookTooLong(layer, layer.timeoutMs)
    : cancelledCall(layer.context.toolName)
}

function toResult(layer: HookLayer, value: unknown): ToolResult {
  try {
    return coerceToolResult(value) ?? hookWithoutResult(layer, value)
  } catch (thrown) {
    return hookThrew(layer, thrown)
  }
}

function callHook(layer: HookLayer, time: HookTime): unknown {
  const originalToolFunc = callOn(layer, time, layer.innermost)
  const context = Object.freeze({ ...layer.context, originalToolFunc })
  return layer.hook(context, layer.args, callOn(layer, time, layer.next))
}

/** What a hook calls on with: its time stands still meanwhile, and after its end nothing is run for it any more. */
function callOn(layer: HookLayer, time: HookTime, link: Link): CallNext {
  return (args) => {
    if (time.isOver) return Promise.resolve(hookMisused(layer, 'called on after it had ended.'))
    let copy: JsonObject
    try {
      copy = copyArguments(args)
    } catch (thrown) {
      return Promise.resolve(hookMisused(layer, `passed on bad arguments: ${errorMessage(thrown)}`))
    }
    time.pause()
    return link(copy, time)
  }
}
