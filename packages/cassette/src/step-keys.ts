import type { Json, RunEvent } from '@troupe/schema'

/** The key of the step that was kept with each event of a root; undefined: none was. */
export type StepKeys = (event: RunEvent) => string | undefined

/**
 * Says which step belongs to which event, where only both are known. The last call of a model in a turn that gave an answer is that of the
 * turn; those before it stood beside the conversation.
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

/** The steps of runs, by run and key. */
export type StepsOf = (runId: string) => ReadonlyMap<string, Json>
