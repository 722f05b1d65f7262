import type { CallToolResult } from '@modelcontextprotocol/server'
import type { RunningCall } from './running-call.ts'

/** A call that waits for its client to come back with answers. */
export interface HeldCall {
  /** What was called: answers are for nothing else. */
  readonly toolName: string
  readonly call: RunningCall
  readonly result: Promise<CallToolResult>
  /** Of a call that is asked for its answer: what is said while there is none. */
  readonly meanwhile?: Promise<CallToolResult>
}

/** Calls by the states that their clients were given: ids that cannot be guessed, so one that was tampered with finds nothing. */
export interface HeldCalls {
  /** A new state for the call. */
  hold(held: HeldCall): string
  /** Undefined: nobody was given this state, or the call is over. */
  find(state: string): HeldCall | undefined
}

/** Calls held at once; the one held for the longest is given up. */
const MOST = 1000

/** None are held. A state stays good until its call is over, as an answer may be lost on its way. */
export function createHeldCalls(newState: () => string): HeldCalls {
  const states = new Map<string, HeldCall>()

  function forget({ call }: HeldCall): void {
    for (const [state, held] of states) if (held.call === call) states.delete(state)
  }

  return {
    find: (state) => states.get(state),
    hold(held) {
      const state = newState()
      const isNew = !Array.from(states.values()).some(({ call }) => call === held.call)
      states.set(state, held)
      if (isNew) void held.result.finally(() => forget(held))
      const [oldest] = states.values()
      if (states.size > MOST && oldest !== undefined) {
        forget(oldest)
        oldest.call.cancel()
      }
      return state
    },
  }
}
