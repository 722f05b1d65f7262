import type { ServerContext } from '@modelcontextprotocol/server'
import type { RunEvent, RunListener } from '@troupe/schema'
import { progressText } from './progress-text.ts'

/** Minimum time between notifications for text deltas, in ms. */
const PIECES_EVERY = 1000

/** Progress notifications of one request. */
export interface ProgressReport {
  readonly onEvent: RunListener
  /** Stops the notifications. Returns the last progress number. */
  end(): number
}

/**
 * Sends progress notifications to the client, numbered from `after`. Returns `undefined` if the request has
 * no progress token. Errors while sending are ignored, because a disconnect cancels the call.
 */
export function reportProgress(
  { mcpReq }: Pick<ServerContext, 'mcpReq'>,
  after = 0,
): ProgressReport | undefined {
  const { _meta: meta } = mcpReq
  const progressToken = meta?.progressToken
  if (progressToken === undefined) return undefined
  let progress = after
  let isOver = false
  let lastPiece = -Infinity
  const isDue = (event: RunEvent): boolean => {
    if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') return true
    if (event.time - lastPiece < PIECES_EVERY) return false
    lastPiece = event.time
    return true
  }
  return {
    onEvent: (event) => {
      if (isOver || !isDue(event)) return
      const message = progressText(event)
      if (message === undefined) return
      progress += 1
      const params = { progressToken, progress, message }
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {
        // the client has disconnected, which cancels the call
      })
    },
    end: () => {
      isOver = true
      return progress
    },
  }
}
