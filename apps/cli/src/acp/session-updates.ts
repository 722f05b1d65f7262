import { methods, type SessionUpdate, type AgentContext } from '@agentclientprotocol/sdk'
import type { RunEvent, RunReport } from '@troupe/schema'
import { contentText, eventCorrelation } from '@troupe/timeline'

/**
 * Converts a run event to session updates. Text and reasoning come from the root run only, tool calls from
 * child runs too.
 */
export function toUpdates(event: RunEvent): readonly SessionUpdate[] {
  switch (event.type) {
    case 'text-delta':
      return isRoot(event) && event.text !== '' ? [toTextUpdate('agent_message_chunk', event.text)] : []
    case 'reasoning-delta':
      return isRoot(event) && event.text !== '' ? [toTextUpdate('agent_thought_chunk', event.text)] : []
    case 'tool-call':
      return [
        {
          sessionUpdate: 'tool_call',
          toolCallId: eventCorrelation(event) ?? event.toolUseId,
          title: toolTitle(event),
          kind: event.source === 'agent' ? 'think' : 'other',
          status: 'pending',
          rawInput: event.args,
        },
      ]
    case 'tool-start':
      return [toCallUpdate(event, { status: 'in_progress' })]
    case 'tool-result':
      return [
        toCallUpdate(event, {
          status: event.error === undefined ? 'completed' : 'failed',
          content: [{ type: 'content', content: { type: 'text', text: contentText(event.content) } }],
        }),
      ]
    default:
      return []
  }
}

/** Returns the title of a tool call: `send`, or `clerk: send` in a child run. */
export function toolTitle(
  event: Pick<RunEvent, 'runId' | 'rootRunId' | 'agent'> & { readonly toolName: string },
): string {
  return isRoot(event) ? event.toolName : `${event.agent}: ${event.toolName}`
}

type CallUpdate = Extract<SessionUpdate, { readonly sessionUpdate: 'tool_call_update' }>

function toCallUpdate(
  event: RunEvent,
  change: Omit<CallUpdate, 'sessionUpdate' | 'toolCallId'>,
): SessionUpdate {
  return { sessionUpdate: 'tool_call_update', toolCallId: eventCorrelation(event) ?? '', ...change }
}

/** Returns the update for a piece of text of the user or the agent. */
export function toTextUpdate(
  sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text } }
}

function isRoot({ runId, rootRunId }: Pick<RunEvent, 'runId' | 'rootRunId'>): boolean {
  return runId === rootRunId
}

/** Session updates of one turn, sent to the editor in order. */
interface TurnUpdates {
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
      if (text !== '' && text !== streamedText) send(toTextUpdate('agent_message_chunk', text))
      await sent
    },
  }
}
