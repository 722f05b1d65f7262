import { createAnswerText } from '../answer-text.ts'
import { answerOf } from '../answer-of.ts'
import type { RunStream } from '../start-run-stream.ts'
import { isFailure } from '../is-failure.ts'
import type { SseBuffer } from '../sse-buffer.ts'
import { sseBlock } from '../sse-block.ts'
import {
  messageItem,
  responseObject,
  textPart,
  type ResponseState,
  type ResponseHead,
} from './response-object.ts'

/** Streams a response with one message item, one text part and exactly one end event. */
export function streamResponse(
  { listen, end }: RunStream,
  buffer: Pick<SseBuffer, 'push' | 'end'>,
  { head, isWhole }: { readonly head: ResponseHead; readonly isWhole: boolean },
): void {
  const answer = createAnswerText({ isWhole })
  const item = messageItem(head.id, { status: 'in_progress' })
  const partIds = { item_id: item['id'], output_index: 0, content_index: 0 }
  let sequence = 0
  let text = ''
  const send = (type: string, data: object): void =>
    buffer.push(sseBlock({ type, sequence_number: sequence++, ...data }, { event: type }))
  const sendState = (type: string, state: ResponseState): void =>
    send(type, { response: responseObject(head, state) })
  const sendText = (delta: string): void => {
    if (delta === '') return
    text += delta
    send('response.output_text.delta', { ...partIds, delta, logprobs: [] })
  }

  sendState('response.created', { status: 'in_progress' })
  sendState('response.in_progress', { status: 'in_progress' })
  send('response.output_item.added', { output_index: 0, item })
  send('response.content_part.added', { ...partIds, part: textPart('') })
  listen((event) => sendText(answer.read(event)))
  void end.then((last) => {
    const report = answerOf(last)
    if (isFailure(report)) sendState('response.failed', { status: 'failed', reason: report })
    else {
      sendText(answer.end(report))
      const status = report.outcome === 'partial' ? 'incomplete' : 'completed'
      send('response.output_text.done', { ...partIds, text, logprobs: [] })
      send('response.content_part.done', { ...partIds, part: textPart(text) })
      send('response.output_item.done', { output_index: 0, item: messageItem(head.id, { status, text }) })
      sendState(`response.${status}`, { status, text, usage: report.usage })
    }
    buffer.end()
  })
}
