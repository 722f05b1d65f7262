import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { RunningCall } from './running-call.ts'

/** A call that waits for its client to come back with answers. */
export interface HeldCall {
  /** What was called, and by whom where clients are told apart: answers are for nothing else. */
  readonly key: string
  readonly call: RunningCall
  readonly result: Promise<CallToolResult>
  /** Of a call that is asked for its answer: what is said while there is none. */
  readonly meanwhile?: Promise<CallToolResult>
}

/** The result of a call, or what a person is asked before there is one: then the client comes back with the answers and the state that it was given. */
export type CallAnswer = CallToolResult | InputRequiredResult

/** Calls by the states that their clients were given: ids that cannot be guessed, so one that was tampered with finds nothing. */
export interface HeldCalls {
  /** Answers a request with one round of the call. */
  round(held: HeldCall, context: ServerContext): Promise<CallAnswer>
  /** Goes on with the call that the request brings answers for; undefined: it brings none. Throws an error of the protocol for a state that is not one of `key`. */
  goOn(key: string, context: ServerContext): Promise<CallAnswer> | undefined
  /** Gives up all calls, and every one that is held from now on: no client can come back any more. */
  close(): void
}

/** Calls held at once; the one held for the longest is given up. */
const MOST = 1000

/** None are held. A state stays good until its call is over, as an answer may be lost on its way. */
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
