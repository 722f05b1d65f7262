import type { ServerContext } from '@modelcontextprotocol/server'
import type { RunEvent, RunListener } from '@troupe/schema'
import { eventText, plainText } from '@troupe/timeline'

/** Minimum time between notifications for text deltas, in ms. */
const PIECES_EVERY = 1000

/** Progress notifications of one request. */
interface ProgressReport {
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

const LONGEST = 200

/** Formats an event as one line of progress; `undefined` if it is not shown. */
export function progressText(event: RunEvent): string | undefined {
  const text = textOf(event)
  return text === undefined ? undefined : plainText(`${event.instance} ${text}`, { max: LONGEST })
}

function textOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'turn-start':
      return `calls its model, turn ${event.turn}`
    case 'tool-call':
      return `calls ${event.toolName}`
    case 'tool-result':
      return `got ${event.outcome === 'completed' ? 'the result' : `no result (${event.outcome})`} of ${event.toolName}`
    case 'text-delta':
    case 'reasoning-delta':
      return 'writes'
    case 'tool-progress':
    case 'model-retry':
    case 'model-fallback':
      return eventText(event)
    default:
      return undefined
  }
}
