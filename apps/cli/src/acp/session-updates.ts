import {
  methods,
  type AgentContext,
  type SessionUpdate,
  type ToolCallContent,
  type ToolCallLocation,
  type ToolKind,
} from '@agentclientprotocol/sdk'
import { clientToolName, type RunEvent, type RunReport } from '@troupe/schema'
import { contentText, eventCorrelation } from '@troupe/timeline'

/** Names of the tools of the editor. */
export const READ_TOOL = 'read_text_file'
export const WRITE_TOOL = 'write_text_file'
export const COMMAND_TOOL = 'run_command'

/** Parts of a tool call that an editor shows in addition to its arguments. */
export interface CallContent {
  readonly content?: ToolCallContent[]
  readonly locations?: ToolCallLocation[]
}

/**
 * Converts a run event to session updates. Text and reasoning come from the root run only, tool calls from
 * child runs too. `shown` has the content that replaces the result of a call.
 */
export function toUpdates(
  event: RunEvent,
  shown?: ReadonlyMap<string, ToolCallContent[]>,
): readonly SessionUpdate[] {
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
          kind: KINDS.get(event.toolName) ?? (event.source === 'agent' ? 'think' : 'other'),
          status: 'pending',
          rawInput: event.args,
        },
      ]
    case 'tool-start':
      return [toCallUpdate(event, { status: 'in_progress' })]
    case 'tool-result': {
      const own = shown?.get(eventCorrelation(event) ?? '')
      const text: ToolCallContent = {
        type: 'content',
        content: { type: 'text', text: contentText(event.content) },
      }
      return event.error === undefined
        ? [toCallUpdate(event, { status: 'completed', content: own ?? [text] })]
        : [toCallUpdate(event, { status: 'failed', content: [...(own ?? []), text] })]
    }
    default:
      return []
  }
}

/** Kinds of the tools of the editor. */
const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  [clientToolName(READ_TOOL), 'read'],
  [clientToolName(WRITE_TOOL), 'edit'],
  [clientToolName(COMMAND_TOOL), 'execute'],
])

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
  /** Shows content of a call, which stays when the call ends. */
  show(toolCallId: string, content: CallContent): void
  /** Sends the answer unless it was already streamed. Resolves when all updates are sent. */
  end(report: Pick<RunReport, 'output'>): Promise<void>
}

/** Creates the updates of one turn. */
export function createTurnUpdates(client: AgentContext, sessionId: string): TurnUpdates {
  let sent: Promise<void> = Promise.resolve()
  // Text of the current model turn.
  let streamedText = ''
  const shown = new Map<string, ToolCallContent[]>()
  const send = (update: SessionUpdate): void => {
    sent = sent.then(() => client.notify(methods.client.session.update, { sessionId, update }))
  }
  return {
    onEvent(event) {
      if (event.runId === event.rootRunId) {
        if (event.type === 'turn-start') streamedText = ''
        if (event.type === 'text-delta') streamedText += event.text
      }
      for (const update of toUpdates(event, shown)) send(update)
    },
    show(toolCallId, content) {
      if (content.content !== undefined) shown.set(toolCallId, content.content)
      send({ sessionUpdate: 'tool_call_update', toolCallId, ...content })
    },
    async end({ output: { text = '' } }) {
      if (text !== '' && text !== streamedText) send(toTextUpdate('agent_message_chunk', text))
      await sent
    },
  }
}
