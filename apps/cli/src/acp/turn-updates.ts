import { methods, type AgentContext, type SessionUpdate } from '@agentclientprotocol/sdk'
import type { RunEvent, RunReport } from '@troupe/schema'
import { toUpdates } from './to-updates.ts'

/** Session updates of one turn, sent to the editor in order. */
export interface TurnUpdates {
  onEvent(event: RunEvent): void
  /** Sends the answer unless it was already streamed. Resolves when all updates are sent. */
  end(report: Pick<RunReport, 'output'>): Promise<void>
}

/** Creates the updates of one turn. */
export function createTurnUpdates(client: AgentContext, sessionId: string): TurnUpdates {
  let sent: Promise<void> = Promise.resolve()
  // Text of the current model turn.
  let streamedText = ''
  const send = (update: SessionUpdate): void => {
    sent = sent.then(() => client.notify(methods.client.session.update, { sessionId, update }))
  }
  return {
    onEvent(event) {
      if (event.runId === event.rootRunId) {
        if (event.type === 'turn-start') streamedText = ''
        if (event.type === 'text-delta') streamedText += event.text
      }
      for (const update of toUpdates(event)) send(update)
    },
    async end({ output: { text = '' } }) {
      if (text !== '' && text !== streamedText)
        send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
      await sent
    },
  }
}
