import { methods, type AgentContext, type SessionUpdate } from '@agentclientprotocol/sdk'
import type { RunEvent, RunReport } from '@troupe/schema'
import { toUpdates } from './to-updates.ts'

/** Tells an editor of one turn, in order. */
export interface TurnTelling {
  hear(event: RunEvent): void
  /** Tells the answer, where it is not what was said last; resolves when all is told. */
  end(report: Pick<RunReport, 'output'>): Promise<void>
}

/** See {@link TurnTelling}. */
export function tellTurn(client: AgentContext, sessionId: string): TurnTelling {
  let told: Promise<void> = Promise.resolve()
  // what the agent has said in the turn of its model that is at hand
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
