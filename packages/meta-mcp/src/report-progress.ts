import type { ServerContext } from '@modelcontextprotocol/server'
import type { RunEvent, RunListener } from '@troupe/schema'
import { progressText } from './progress-text.ts'

/** Pieces of text come by the hundred; a client that waits needs one now and then. In ms. */
const PIECES_EVERY = 1000

/** Tells a client how far a run is. */
export interface ProgressReport {
  readonly onEvent: RunListener
  /** Nothing is told from then on. The answer is the last number that was. */
  end(): number
}

/**
 * Tells the client how far a run is, where it asked with a progress token: numbers that rise from the one given. Undefined: it did not ask.
 * What cannot be sent is left out, as the call itself hears of a client that left.
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
        // the client left; its call is cancelled
      })
    },
    end: () => {
      isOver = true
      return progress
    },
  }
}
