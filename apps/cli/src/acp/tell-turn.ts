import { methods, type AgentContext, type SessionUpdate } from '@agentclientprotocol/sdk'
import type { RunEvent, RunReport } from '@troupe/schema'
import { toUpdates } from './to-updates.ts'

/** Session updates of one turn, sent to the editor in order. */
export interface TurnTelling {
  hear(event: RunEvent): void
  /** Sends the answer unless it was already streamed. Resolves when all updates are sent. */
  end(report: Pick<RunReport, 'output'>): Promise<void>
}

/** Creates the updates of one turn. */
export function tellTurn(client: AgentContext, sessionId: string): TurnTelling {
  let told: Promise<void> = Promise.resolve()
  // Text of the current model turn.
  let said = ''
  const tell = (update: SessionUpdate): void => {
    told = told.then(() => client.notify(methods.client.session.update, { sessionId, update }))
  }
  return {
    hear(event) {
      if (event.runId === event.rootRunId) {
        if (event.type === 'turn-start') said = ''
        if (event.type === 'text-delta') said += event.text
      }
      for (const update of toUpdates(event)) tell(update)
    },
    async end({ output: { text = '' } }) {
      if (text !== '' && text !== said)
        tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
      await told
    },
  }
}
