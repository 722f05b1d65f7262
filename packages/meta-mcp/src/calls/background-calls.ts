import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ExportedTool } from '../tools/exported-tool.ts'
import type { RunningCall } from './running-call.ts'

/** A call that runs in the background. */
export interface BackgroundCall {
  readonly tool: ExportedTool
  readonly call: RunningCall
  readonly result: Promise<CallToolResult>
}

/** Background calls by unguessable id. */
export interface BackgroundCalls {
  add(call: BackgroundCall): string
  /** Returns `undefined` if the tool has no call with this id, or if it was evicted. */
  find(id: string, tool: ExportedTool): BackgroundCall | undefined
  /** Cancels all calls. */
  close(): void
}

/** Maximum number of calls, including finished ones. The oldest is cancelled and evicted. */
const MAX_CALLS = 1000

/**
 * Creates an empty registry. An answer can be fetched more than once, because the first response may be lost.
 */
export function createBackgroundCalls(newId: () => string): BackgroundCalls {
  const calls = new Map<string, BackgroundCall>()
  return {
    add(started) {
      const id = newId()
      calls.set(id, started)
      const [oldest] = calls
      if (calls.size > MAX_CALLS && oldest !== undefined) {
        calls.delete(oldest[0])
        oldest[1].call.cancel()
      }
      return id
    },
    find: (id, { wireName }) => {
      const found = calls.get(id)
      return found?.tool.wireName === wireName ? found : undefined
    },
    close() {
      for (const { call } of calls.values()) call.cancel()
      calls.clear()
    },
  }
}
