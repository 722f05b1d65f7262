import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { RunEvent } from '@troupe/schema'
import { contentText, eventCorrelation } from '@troupe/timeline'

/** What an editor is shown of an event: what the agent says and thinks, its calls, and those of its children under their names. */
export function toUpdates(event: RunEvent): readonly SessionUpdate[] {
  switch (event.type) {
    case 'text-delta':
      return isRoot(event) ? [said('agent_message_chunk', event.text)] : []
    case 'reasoning-delta':
      return isRoot(event) ? [said('agent_thought_chunk', event.text)] : []
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
      return [update(event, { status: 'in_progress' })]
    case 'tool-result':
      return [
        update(event, {
          status: event.error === undefined ? 'completed' : 'failed',
          content: [{ type: 'content', content: { type: 'text', text: contentText(event.content) } }],
        }),
      ]
    default:
      return []
  }
}

/** What a call is called for people: `send`, or `clerk: send` for one of a child. */
export function toolTitle(
  event: Pick<RunEvent, 'runId' | 'rootRunId' | 'agent'> & { readonly toolName: string },
): string {
  return isRoot(event) ? event.toolName : `${event.agent}: ${event.toolName}`
}

type CallUpdate = Extract<SessionUpdate, { readonly sessionUpdate: 'tool_call_update' }>

function update(event: RunEvent, change: Omit<CallUpdate, 'sessionUpdate' | 'toolCallId'>): SessionUpdate {
  return { sessionUpdate: 'tool_call_update', toolCallId: eventCorrelation(event) ?? '', ...change }
}

function said(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', text: string): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text } }
}

function isRoot({ runId, rootRunId }: Pick<RunEvent, 'runId' | 'rootRunId'>): boolean {
  return runId === rootRunId
}
