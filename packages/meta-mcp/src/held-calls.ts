import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { RunningCall } from './running-call.ts'

/** A call that waits for responses from its client. */
export interface HeldCall {
  /**
   * Identifies the tool, and the client if clients are distinguished. Responses with another key are
   * rejected.
   */
  readonly key: string
  readonly call: RunningCall
  readonly result: Promise<CallToolResult>
  /** Alternative result of a poll, if there is no answer in time. */
  readonly meanwhile?: Promise<CallToolResult>
}

/**
 * Result of a call, or a request for input. The client then retries with the responses and the given state.
 */
export type CallAnswer = CallToolResult | InputRequiredResult

/** Pending calls by `requestState`, which is unguessable. */
export interface HeldCalls {
  /** Runs one round of a call and returns its answer. */
  round(held: HeldCall, context: ServerContext): Promise<CallAnswer>
  /**
   * Continues the call that the request has responses for; `undefined` if it has none. Throws a protocol
   * error if the state does not belong to `key`.
   */
  goOn(key: string, context: ServerContext): Promise<CallAnswer> | undefined
  /** Cancels all pending calls, and every later one. */
  close(): void
}

/** Maximum number of states. The call with the oldest one is cancelled. */
const MOST = 1000

/** Creates an empty registry. A state remains valid until its call ends, because a response may be lost. */
export function createHeldCalls(newState: () => string): HeldCalls {
  const states = new Map<string, HeldCall>()
  let isClosed = false

  function forget({ call }: HeldCall): void {
    for (const [state, held] of states) if (held.call === call) states.delete(state)
  }

  function giveUp(held: HeldCall): void {
    forget(held)
    held.call.cancel()
  }

  function hold(held: HeldCall): string {
    const state = newState()
    const isNew = !Array.from(states.values()).some(({ call }) => call === held.call)
    states.set(state, held)
    if (isClosed) giveUp(held)
    if (isNew) void held.result.finally(() => forget(held))
    const [oldest] = states.values()
    if (states.size > MOST && oldest !== undefined) giveUp(oldest)
    return state
  }

  function round(held: HeldCall, context: ServerContext): Promise<CallAnswer> {
    const { call, result, meanwhile } = held
    return call.round(context, {
      result,
      nextState: () => hold(held),
      ...(meanwhile === undefined ? {} : { meanwhile }),
    })
  }

  return {
    round,
    goOn(key, context) {
      const state: unknown = context.mcpReq.requestState()
      if (state === undefined) return undefined
      const found = typeof state === 'string' ? states.get(state) : undefined
      if (found?.key === key) return round(found, context)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'requestState: no call of this tool waits for answers under it.',
      )
    },
    close() {
      isClosed = true
      for (const held of new Set(states.values())) giveUp(held)
    },
  }
}
