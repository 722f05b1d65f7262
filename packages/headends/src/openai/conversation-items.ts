import { isJsonObject, type JsonObject, type RunEvent } from '@troupe/schema'
import type { SessionKey } from '@troupe/schema/ports'
import { readCallId } from '../client-calls/call-id.ts'
import { toClientCall } from '../client-calls/collect-answer.ts'
import { placeCitations } from '../client-runs/place-citations.ts'
import { inputItems } from './input-items.ts'
import { readResponseId, responseId } from './response-id.ts'
import { callItem, messageItem, type OutputItem } from './response-object.ts'
import { findResponse, readResponse, type ResponseRuns } from './stored-response.ts'

/** An item of a conversation. */
type ConversationItem = OutputItem & { readonly id: string }

/**
 * Returns the items of one run of a conversation, the oldest first: what the client sent, the calls of its tools
 * with their results, and the answer of the agent. A run that has not ended has no answer yet.
 */
export async function itemsOfRun(
  runId: string,
  { sessionId, principal }: SessionKey,
  runService: ResponseRuns,
): Promise<readonly ConversationItem[]> {
  const id = responseId({ runId, sessionId })
  const { request, fields } = await findResponse(id, principal, runService)
  if (request === undefined) return []
  const { state } = await readResponse(id, principal, runService)
  const calls = request.clientTools === undefined ? [] : (await runService.events(runId)).flatMap(callItems)
  const answer =
    'usage' in state && state.text !== ''
      ? [messageItem(id, { status: state.status, text: state.text, citations: placeCitations(state) })]
      : []
  return [...inputItems(id, request, fields.instructions), ...calls, ...answer]
}

/** Returns the run of an item, or `undefined` if it is not one of Troupe's. */
export function runOfItem(itemId: string): string | undefined {
  const rest = itemId.replace(/^[a-z]+_/u, '')
  return readCallId(`call_${rest}`)?.runId ?? readResponseId(`resp_${rest}`)?.runId
}

function callItems(event: RunEvent): readonly ConversationItem[] {
  if (event.type === 'approval-request' && event.client === true)
    return [callItem({ request: { model: '' } }, toClientCall(event))]
  if (event.type !== 'approval-result' || event.values === undefined) return []
  const { id } = toClientCall({ ...event, type: 'approval-request', args: {} })
  if (readCallId(id) === undefined) return []
  return resultItems(id, event.values)
}

/** Returns the result of a call, and the message that the user added to it. */
function resultItems(callId: string, { content, message }: JsonObject): readonly ConversationItem[] {
  const rest = callId.slice('call_'.length)
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : []
  const text = parts.flatMap((part) => (typeof part['text'] === 'string' ? part['text'] : [])).join('\n')
  const result = {
    id: `fco_${rest}`,
    type: 'function_call_output',
    status: 'completed',
    call_id: callId,
    output: text,
  }
  if (typeof message !== 'string' || message === '') return [result]
  const added = [{ type: 'input_text', text: message }]
  return [result, { id: `msg_${rest}`, type: 'message', status: 'completed', role: 'user', content: added }]
}
