import {
  coerceToolResult,
  errorMessage,
  hasAnswer,
  type CallNext,
  type HookContext,
  type JsonObject,
  type ToolResult,
  toolResult,
  type ToolHook,
  isJsonObject,
  troupeError,
} from '@troupe/schema'
import type { CancellationToken } from '@troupe/schema/ports'
import type { HookTime, WorkTimer } from './work-timer.ts'

/** State of one call that its hooks share. */
export interface HookLayers {
  readonly context: Omit<HookContext, 'originalToolFunc'>
  readonly timer: WorkTimer
  readonly timeoutMs: number
  readonly cancellation: CancellationToken
  /** The index after the last hook, which stands for the tool itself. */
  readonly innermost: number
  /**
   * Runs the layer at `index` and everything inside it. The layer may keep and change `args`, and resumes the
   * caller's timer when it ends. Rejects with the exception of a hook.
   */
  enter(index: number, args: JsonObject, caller: HookTime): Promise<ToolResult>
  /** Records which hook threw, for the error message if no hook catches the exception. */
  recordThrow(layer: HookPosition, thrown: unknown): void
}

/** A hook that is about to run. */
interface HookLayer extends HookPosition {
  /**
   * The hook's own copy of the arguments, which it may change. Arguments that it passes on are copied again.
   */
  readonly args: JsonObject
  readonly caller: HookTime | undefined
}

/**
 * Runs one hook until it ends or times out. A hook that hangs is abandoned and its later result is ignored.
 * Rejects with the exception of this hook or of a later one.
 * Uses one promise and one listener instead of `Promise.race`, because the overhead applies to every hook of
 * every call.
 */
export function runHook(layers: HookLayers, layer: HookLayer): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const end = (result: ToolResult): void => {
      if (!time.end()) return
      layer.caller?.resume()
      resolve(result)
    }
    const fail = (thrown: unknown): void => {
      if (!time.end()) return
      layer.caller?.resume()
      layers.recordThrow(layer, thrown)
      reject(thrown)
    }
    const time = layers.timer.start(() => end(timeoutResult(layers, layer)), layer.caller)
    try {
      Promise.resolve(callHook(layers, layer, time)).then((value) => end(toResult(layer, value)), fail)
    } catch (thrown) {
      fail(thrown)
    }
  })
}

function timeoutResult({ cancellation, timeoutMs, context }: HookLayers, layer: HookLayer): ToolResult {
  return cancellation.reason === undefined
    ? hookTimeoutResult(layer, timeoutMs)
    : cancelledCall(context.toolName)
}

function toResult(layer: HookLayer, value: unknown): ToolResult {
  try {
    return coerceToolResult(value) ?? hookWithoutResult(layer, value)
  } catch (thrown) {
    return hookThrewResult(layer, thrown)
  }
}

/**
 * Returns a copy for a hook. `isError` is not enumerable, so that a spread copy with another `outcome` is
 * judged by its `outcome`.
 */
function copyForHook(result: ToolResult): ToolResult {
  return Object.defineProperty({ ...result }, 'isError', {
    value: !hasAnswer(result.outcome),
    writable: true,
    enumerable: false,
  })
}

function callHook(layers: HookLayers, layer: HookLayer, time: HookTime): unknown {
  /**
   * Runs a later layer for the hook and pauses its timer meanwhile. After the hook has ended, returns an
   * error instead.
   */
  const callLayer = (args: JsonObject, index: number): Promise<ToolResult> => {
    if (time.isOver)
      return Promise.resolve(copyForHook(hookMisusedResult(layer, 'called `callNext` after it had ended.')))
    let copy: JsonObject
    try {
      copy = copyArguments(args)
    } catch (thrown) {
      return Promise.resolve(
        copyForHook(
          hookMisusedResult(layer, `passed invalid arguments to \`callNext\`: ${errorMessage(thrown)}`),
        ),
      )
    }
    time.pause()
    const result = layers.enter(index, copy, time).then(copyForHook)
    // The hook may not await the call, and then a rejection must not crash the process.
    result.catch(() => undefined)
    return result
  }
  const originalToolFunc: CallNext = (args) => callLayer(args, layers.innermost)
  const context = Object.freeze({ ...layers.context, originalToolFunc })
  return layer.hook(context, layer.args, (args) => callLayer(args, layer.index + 1))
}

/** A hook and its position in the chain, for error messages. */
export interface HookPosition {
  readonly hook: ToolHook
  /** Zero-based, in declared order. */
  readonly index: number
}

/** Creates the result of a call that did not proceed because the run was cancelled. */
export function cancelledCall(tool: string): ToolResult {
  return toolResult.error('run_cancelled', `The call to ${tool} was cancelled.`)
}

/** Creates the result of a call whose hook threw. */
export function hookThrewResult(position: HookPosition, thrown: unknown): ToolResult {
  return toolResult.error('hook_failed', `${nameOf(position)} threw: ${errorMessage(thrown)}`)
}

/**
 * Creates the result of a call whose hook passed bad arguments to `callNext` or called it after the hook had
 * ended.
 */
function hookMisusedResult(position: HookPosition, what: string): ToolResult {
  return toolResult.error('hook_failed', `${nameOf(position)} ${what}`)
}

/** Creates the result of a call whose hook returned nothing, or a value that is not a result. */
function hookWithoutResult(position: HookPosition, value: unknown): ToolResult {
  const kind =
    value === undefined || value === null
      ? 'nothing'
      : `a value of type ${typeof value} that is not a tool result`
  return toolResult.error('hook_no_result', `${nameOf(position)} returned ${kind}.`)
}

/** Creates the result of a call whose hook ran into its timeout. */
function hookTimeoutResult(position: HookPosition, ms: number): ToolResult {
  return toolResult.error('hook_timeout', `${nameOf(position)} exceeded its timeout of ${ms} ms.`)
}

function nameOf({ hook, index }: HookPosition): string {
  return `Tool hook ${index + 1} (${hook.name === '' ? 'anonymous' : hook.name})`
}

/**
 * Copies arguments the way a JSON round trip would: members without a JSON value are dropped and nothing is
 * shared. Throws `tool_bad_arguments` if the value is not a JSON object.
 */
export function copyArguments(args: JsonObject): JsonObject {
  const copy = copyPlain(args, 0) ?? copyByJson(args)
  if (!isJsonObject(copy)) throw troupeError('tool_bad_arguments', 'The arguments are not a JSON object.')
  return copy
}

/** Deeper values go through `JSON.stringify`, which detects cycles. */
const MAX_DEPTH = 32

/** Copies plain JSON data, the usual case. Returns `undefined` if any part of it is not plain JSON. */
function copyPlain(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : undefined
    case 'object':
      if (value === null) return null
      if (depth > MAX_DEPTH) return undefined
      return Array.isArray(value) ? copyList(value, depth + 1) : copyObject(value, depth + 1)
    default:
      return undefined
  }
}

function copyList(list: readonly unknown[], depth: number): unknown[] | undefined {
  const copy: unknown[] = []
  for (const item of list) {
    const made = copyPlain(item, depth)
    if (made === undefined) return undefined
    copy.push(made)
  }
  return copy
}

function copyObject(value: object, depth: number): object | undefined {
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const made = key === '__proto__' ? undefined : copyPlain((value as Record<string, unknown>)[key], depth)
    if (made === undefined) return undefined
    copy[key] = made
  }
  return copy
}

function copyByJson(value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined
    return text === undefined ? undefined : JSON.parse(text)
  } catch (thrown) {
    throw troupeError('tool_bad_arguments', 'The arguments cannot be serialized as JSON.', { cause: thrown })
  }
}
