import type { RunEvent } from '@troupe/schema'
import { eventText, plainText } from '@troupe/timeline'

const LONGEST = 200

/** Formats an event as one line of progress; `undefined` if it is not shown. */
export function progressText(event: RunEvent): string | undefined {
  const text = textOf(event)
  return text === undefined ? undefined : plainText(`${event.instance} ${text}`, { max: LONGEST })
}

function textOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'turn-start':
      return `asks its model, turn ${event.turn}`
    case 'tool-call':
      return `calls ${event.toolName}`
    case 'tool-result':
      return `has ${event.outcome === 'completed' ? 'the result' : `no result (${event.outcome})`} of ${event.toolName}`
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
