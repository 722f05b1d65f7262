import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk'
import type { Attachment, AssistantMessage, Json, RunEvent } from '@troupe/schema'
import type { RunRequest, RunStore } from '@troupe/schema/ports'
import { eventCorrelation } from '@troupe/timeline'
import { toTextUpdate, toUpdates } from './session-updates.ts'

/** Yields the updates that show the earlier runs of a session, oldest first. */
export async function* sessionHistory(
  store: Pick<RunStore, 'events' | 'steps'>,
  runIds: readonly string[],
): AsyncGenerator<SessionUpdate> {
  for (const runId of runIds) {
    const [events, steps] = await Promise.all([store.events(runId), store.steps(runId, runId)])
    yield* runUpdates(events, steps)
  }
}

/** Yields the updates of one run. Its texts come from the steps, because deltas are not stored. */
function* runUpdates(
  events: readonly RunEvent[],
  steps: ReadonlyMap<string, Json>,
): Generator<SessionUpdate> {
  const openCalls = new Set<string>()
  let lastText = ''
  for (const event of events) {
    const isRoot = event.runId === event.rootRunId
    if (isRoot && event.type === 'run-start') {
      // written by a host as a request
      const { attachments = [] } = (steps.get('begin') ?? {}) as unknown as Partial<RunRequest>
      if (event.input !== '') yield toTextUpdate('user_message_chunk', event.input)
      for (const attachment of attachments)
        yield { sessionUpdate: 'user_message_chunk', content: toBlock(attachment) }
    }
    if (isRoot && event.type === 'turn-start') {
      const { content = [] } = (steps.get(`llm:${event.turn}`) ?? {}) as unknown as Partial<AssistantMessage>
      lastText = textOf(content, 'text')
      const reasoning = textOf(content, 'reasoning')
      if (reasoning !== '') yield toTextUpdate('agent_thought_chunk', reasoning)
      if (lastText !== '') yield toTextUpdate('agent_message_chunk', lastText)
    }
    for (const update of toUpdates(event)) {
      if (update.sessionUpdate === 'tool_call') openCalls.add(update.toolCallId)
      if (event.type === 'tool-result') openCalls.delete(eventCorrelation(event) ?? '')
      yield update
    }
    if (isRoot && event.type === 'run-end') {
      const { text = '' } = event.output
      if (text !== '' && text !== lastText) yield toTextUpdate('agent_message_chunk', text)
    }
  }
  for (const toolCallId of openCalls)
    yield { sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' }
}

function textOf(content: AssistantMessage['content'], type: 'text' | 'reasoning'): string {
  return content.map((part) => (part.type === type ? part.text : '')).join('')
}

function toBlock({ mediaType, data, filename }: Attachment): ContentBlock {
  if (mediaType.startsWith('image/')) return { type: 'image', mimeType: mediaType, data }
  if (mediaType.startsWith('audio/')) return { type: 'audio', mimeType: mediaType, data }
  return { type: 'text', text: `[${filename ?? 'file'}: ${mediaType}]` }
}
