import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ExportedTool } from './exported-tool.ts'
import type { RunningCall } from './running-call.ts'

/** A call that goes on while nobody waits for it. */
export interface BackgroundCall {
  readonly tool: ExportedTool
  readonly call: RunningCall
  readonly result: Promise<CallToolResult>
}

/** Calls in the background, by ids that cannot be guessed. */
export interface BackgroundCalls {
  add(call: BackgroundCall): string
  /** Undefined: no call of the tool was given this id, or it is long over. */
  find(id: string, tool: ExportedTool): BackgroundCall | undefined
  /** Ends all. */
  close(): void
}

/** Calls kept at once, with their answers; the oldest makes room, and is ended. */
const MOST = 1000

/** None are at work. An answer may be asked for again: the first time it may have been lost. */
export function createBackgroundCalls(newId: () => string): BackgroundCalls {
  const calls = new Map<string, BackgroundCall>()
  return {
    add(started) {
      const id = newId()
      calls.set(id, started)
      const [oldest] = calls
      if (calls.size > MOST && oldest !== undefined) {
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
