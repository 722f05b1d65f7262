import type { Json, JsonObject } from '@troupe/schema'
import type { FunctionKind } from '@troupe/tools'

/** Version of the messages between Troupe and `bridge.py`. */
export const PROTOCOL = 1

/** A function to load, with the id that calls refer to. */
export interface FunctionRequest {
  readonly fn: string
  readonly file: string
  readonly name: string
  readonly kind: FunctionKind
}

/** A message to the bridge that it answers. */
export type BridgeRequest =
  | { readonly type: 'load'; readonly functions: readonly FunctionRequest[] }
  | { readonly type: 'call'; readonly fn: string; readonly args: JsonObject }
  | { readonly type: 'hook' | 'phase'; readonly fn: string; readonly run: string; readonly ctx: JsonObject }

/** A message to the bridge without an answer. */
export type BridgeNotice =
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'end'; readonly run: string }
  | { readonly type: 'back'; readonly id: number; readonly back: number; readonly value: Json }
  | { readonly type: 'back'; readonly id: number; readonly back: number; readonly error: string }

/** An exception of Python with the last frame of its traceback. */
export interface PythonException {
  readonly type: string
  readonly message: string
  readonly file?: string
  readonly line?: number
  readonly function?: string
  /** Cause of a function that cannot be used. */
  readonly code?: 'load' | 'missing' | 'not_callable' | 'refused'
  /** Functions of the module, if one is missing. */
  readonly names?: readonly string[]
}

/** A function that was loaded, or the reason that it cannot be used. */
export type FunctionAnswer =
  | {
      readonly fn: string
      readonly name: string
      /** Number of parameters. */
      readonly params: number
      readonly description?: string
      readonly inputSchema?: JsonObject
      readonly effect?: Json
      readonly capabilities?: Json
      readonly error?: undefined
    }
  | { readonly fn: string; readonly error: PythonException }

/** A message from the bridge. */
export type BridgeMessage =
  | {
      readonly type: 'hello'
      readonly protocol: number
      readonly python: readonly number[]
      readonly executable: string
    }
  | {
      readonly type: 'loaded'
      readonly id: number
      readonly functions: readonly FunctionAnswer[]
      /** Modules beside the loaded ones that they imported. */
      readonly files: readonly string[]
    }
  | { readonly type: 'done'; readonly id: number; readonly value: Json }
  | { readonly type: 'error'; readonly id: number; readonly error: PythonException }
  | { readonly type: 'cancelled'; readonly id: number }
  | { readonly type: 'log'; readonly id: number; readonly text: string }
  | {
      readonly type: 'back'
      readonly id: number
      readonly back: number
      readonly method: string
      readonly args: Json
    }

/** An answer to a {@link BridgeRequest}. */
export type BridgeAnswer = Extract<BridgeMessage, { type: 'loaded' | 'done' | 'error' | 'cancelled' }>
