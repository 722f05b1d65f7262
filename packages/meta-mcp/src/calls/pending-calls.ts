import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { RunningCall } from './running-call.ts'

/** A call that waits for responses from its client. */
export interface PendingCall {
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
export interface PendingCalls {
  /** Runs one round of a call and returns its answer. */
  round(pending: PendingCall, context: ServerContext): Promise<CallAnswer>
  /**
   * Continues the call that the request has responses for; `undefined` if it has none. Throws a protocol
   * error if the state does not belong to `key`.
   */
  resume(key: string, context: ServerContext): Promise<CallAnswer> | undefined
  /** Cancels all pending calls, and every later one. */
  close(): void
}

/** Maximum number of states. The call with the oldest one is cancelled. */
const MAX_STATES = 1000

/** Creates an empty registry. A state remains valid until its call ends, because a response may be lost. */
export function createPendingCalls(newState: () => string): PendingCalls {
  const states = new Map<string, PendingCall>()
  let isClosed = false

  function forget({ call }: PendingCall): void {
    for (const [state, pending] of states) if (pending.call === call) states.delete(state)
  }

  function cancelPending(pending: PendingCall): void {
    forget(pending)
    pending.call.cancel()
  }

  function addState(pending: PendingCall): string {
    const state = newState()
    const isNew = !Array.from(states.values()).some(({ call }) => call === pending.call)
    states.set(state, pending)
    if (isClosed) cancelPending(pending)
    if (isNew) void pending.result.finally(() => forget(pending))
    const [oldest] = states.values()
    if (states.size > MAX_STATES && oldest !== undefined) cancelPending(oldest)
    return state
  }

  function round(pending: PendingCall, context: ServerContext): Promise<CallAnswer> {
    const { call, result, meanwhile } = pending
    return call.round(context, {
      result,
      nextState: () => addState(pending),
      ...(meanwhile === undefined ? {} : { meanwhile }),
    })
  }

  return {
    round,
    resume(key, context) {
      const state: unknown = context.mcpReq.requestState()
      if (state === undefined) return undefined
      const found = typeof state === 'string' ? states.get(state) : undefined
      if (found?.key === key) return round(found, context)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'requestState: no call to this tool is waiting for answers with this state.',
      )
    },
    close() {
      isClosed = true
      for (const pending of new Set(states.values())) cancelPending(pending)
    },
  }
}
