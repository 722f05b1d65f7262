import type { Json, RunEvent } from '@troupe/schema'

/** Returns the key of the step that was stored with an event; `undefined` if there was none. */
export type StepKeys = (event: RunEvent) => string | undefined

/**
 * Creates a function that finds the step of an event when only the events and the steps are known. The last
 * successful model call of a turn is the turn's own; earlier ones were made beside the conversation.
 */
export function createStepKeys(events: readonly RunEvent[]): StepKeys {
  const answers = Map.groupBy(
    events.filter((event) => event.type === 'usage' && event.error === undefined),
    (event) => `${event.runId} ${event.type === 'usage' ? event.turn : ''}`,
  )
  return (event) => {
    switch (event.type) {
      case 'run-start':
        return 'begin'
      case 'run-end':
        return 'end'
      case 'tool-start':
        return `start:${event.callId}#${event.attempt}`
      case 'tool-result':
        return `tool:${event.callId}`
      case 'approval-result':
        return `approval:${event.approvalId.slice(event.runId.length + 1)}`
      case 'context-shortened':
        return `context:${event.turn}`
      case 'usage': {
        const all = answers.get(`${event.runId} ${event.turn}`) ?? []
        const index = all.indexOf(event)
        if (index === -1) return undefined
        return index === all.length - 1 ? `llm:${event.turn}` : `aside:${event.turn}.${index + 1}`
      }
      default:
        return undefined
    }
  }
}

/** Returns the steps of a run by key. */
export type StepsOf = (runId: string) => ReadonlyMap<string, Json>
