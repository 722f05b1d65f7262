import {
  coerceToolResult,
  errorMessage,
  hasAnswer,
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

/** The layers of one call, as its hooks share them. */
export interface Layers {
  readonly context: Omit<HookContext, 'originalToolFunc'>
  readonly timer: WorkTimer
  readonly timeoutMs: number
  readonly stop: StopSource
  /** The index of the call itself. */
  readonly innermost: number
  /** Runs a layer and all within it. It is handed what it may keep and change, and resumes the time of its caller when it ends. Rejects with what a hook threw. */
  enter(index: number, args: JsonObject, caller: HookTime): Promise<ToolResult>
  /** Notes which hook threw, for the message of an exception that no hook catches. */
  threw(layer: HookPlace, thrown: unknown): void
}

/** One hook about to run. */
export interface HookLayer extends HookPlace {
  /** A copy of the hook's own, which it may change (B34): every call on is copied where it is made. */
  readonly args: JsonObject
  readonly caller: HookTime | undefined
}

/**
 * Runs one hook until it ends or its own time is used up; a hook that hangs is abandoned and what it does later is ignored. Rejects with what
 * the hook threw, which may be what a later hook threw.
 * One promise and one listener, no race: three hooks around every call must not cost as much as the call.
 */
export function runHook(layers: Layers, layer: HookLayer): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const end = (result: ToolResult): void => {
      if (!time.end()) return
      layer.caller?.resume()
      resolve(result)
    }
    const fail = (thrown: unknown): void => {
      if (!time.end()) return
      layer.caller?.resume()
      layers.threw(layer, thrown)
      reject(thrown)
    }
    const time = layers.timer.start(() => end(tooLate(layers, layer)), layer.caller)
    try {
      Promise.resolve(callHook(layers, layer, time)).then((value) => end(toResult(layer, value)), fail)
    } catch (thrown) {
      fail(thrown)
    }
  })
}

function tooLate({ stop, timeoutMs, context }: Layers, layer: HookLayer): ToolResult {
  return stop.reason === undefined ? hookTookTooLong(layer, timeoutMs) : cancelledCall(context.toolName)
}

function toResult(layer: HookLayer, value: unknown): ToolResult {
  try {
    return coerceToolResult(value) ?? hookWithoutResult(layer, value)
  } catch (thrown) {
    return hookThrew(layer, thrown)
  }
}

/** Returns a copy for a hook. `isError` is not enumerable, so that a spread copy with another `outcome` is judged by that. */
function hooked(result: ToolResult): ToolResult {
  return Object.defineProperty({ ...result }, 'isError', {
    value: !hasAnswer(result.outcome),
    writable: true,
    enumerable: false,
  })
}

function callHook(layers: Layers, layer: HookLayer, time: HookTime): unknown {
  /** What a hook calls on with: its time stands still meanwhile, and after its end nothing is run for it any more. */
  const callOn = (args: JsonObject, index: number): Promise<ToolResult> => {
    if (time.isOver) return Promise.resolve(hooked(hookMisused(layer, 'called on after it had ended.')))
    let copy: JsonObject
    try {
      copy = copyArguments(args)
    } catch (thrown) {
      return Promise.resolve(hooked(hookMisused(layer, `passed on bad arguments: ${errorMessage(thrown)}`)))
    }
    time.pause()
    const result = layers.enter(index, copy, time).then(hooked)
    // a hook need not wait for the call, and an exception must not end the process then
    result.catch(() => undefined)
    return result
  }
  const originalToolFunc: CallNext = (args) => callOn(args, layers.innermost)
  const context = Object.freeze({ ...layers.context, originalToolFunc })
  return layer.hook(context, layer.args, (args) => callOn(args, layer.index + 1))
}
