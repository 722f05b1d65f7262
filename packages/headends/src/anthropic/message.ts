import type { Citation, Clock, RunReport } from '@troupe/schema'
import {
  isWaitingAnswer,
  type ClientCall,
  type ModelRunEnd,
  type WaitingAnswer,
} from '../client-calls/collect-answer.ts'
import { createAnswerText, isRefused, modelAnswerOf, refusalOf } from '../client-runs/answer-text.ts'
import { createReasoningText } from '../client-runs/reasoning-text.ts'
import type { RunStream } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import { sseBlock, type SseBuffer } from '../sse/event-stream.ts'
import { anthropicErrorBody } from './anthropic-error.ts'
import type { ThinkingOptions } from './messages-request.ts'

/** The fields of a message that are known before its content. */
export interface MessageBase {
  readonly id: string
  /** Model name as the client sent it. */
  readonly model: string
}

/** Creates a whole message. `reasoning` is empty if there is none. */
export function messageObject(
  base: MessageBase,
  end: RunReport | WaitingAnswer,
  { thinking, reasoning }: { readonly thinking: ThinkingOptions | undefined; readonly reasoning: string },
): Readonly<Record<string, unknown>> {
  const { text, calls, citations } = isWaitingAnswer(end)
    ? { ...end, citations: [] }
    : { text: end.output.text ?? '', calls: [], citations: end.output.citations ?? [] }
  const shown = thinking?.isOmitted === true ? '' : reasoning
  return {
    ...emptyMessage(base),
    content: [
      ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: shown, signature: signatureOf(base) }]),
      ...(text === ''
        ? []
        : [
            {
              type: 'text',
              text,
              citations: citations.length === 0 ? null : citations.map(toCitation),
            },
          ]),
      ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
    ],
    ...stopOf(end),
    usage: usageOf(end),
  }
}

/** Converts a citation. Only Anthropic's own models name the cited text, and no other model can read the index. */
function toCitation({ url, title, citedText = '' }: Citation): object {
  return {
    type: 'web_search_result_location',
    url,
    title: title ?? null,
    cited_text: citedText,
    encrypted_index: '',
  }
}

/** Returns the signature of thinking. Clients send it back, where it is ignored. */
function signatureOf({ id }: MessageBase): string {
  return btoa(id)
}

/** Streams a message: blocks of thinking and text in the order of the run, then a block for each call. */
export function streamMessage(
  { listen, end }: RunStream<ModelRunEnd>,
  buffer: Pick<SseBuffer, 'push' | 'end'>,
  {
    base,
    thinking,
    isWhole,
    clock,
  }: {
    readonly base: MessageBase
    readonly thinking: ThinkingOptions | undefined
    readonly isWhole: boolean
    readonly clock: Pick<Clock, 'now'>
  },
): void {
  const answer = createAnswerText({ isWhole })
  const reasoning = thinking && createReasoningText({ withChildren: true })
  let open: 'text' | 'thinking' | undefined
  let index = 0
  const send = (type: string, data: object = {}): void =>
    buffer.push(sseBlock({ type, ...data }, { event: type }))
  const sendDelta = (delta: object): void => send('content_block_delta', { index, delta })
  const closeBlock = (): void => {
    if (open === undefined) return
    if (open === 'thinking') sendDelta({ type: 'signature_delta', signature: signatureOf(base) })
    send('content_block_stop', { index })
    open = undefined
    index += 1
  }
  const openBlock = (kind: 'text' | 'thinking'): void => {
    if (open === kind) return
    closeBlock()
    const block =
      kind === 'text'
        ? { type: 'text', text: '', citations: null }
        : { type: 'thinking', thinking: '', signature: '' }
    send('content_block_start', { index, content_block: block })
    open = kind
  }
  const sendText = (text: string): void => {
    if (text === '') return
    openBlock('text')
    sendDelta({ type: 'text_delta', text })
  }
  const sendThinking = (text: string): void => {
    if (text === '') return
    const shown = open === 'thinking' ? text : text.trimStart()
    openBlock('thinking')
    if (thinking?.isOmitted !== true) sendDelta({ type: 'thinking_delta', thinking: shown })
  }
  const sendCitations = (citations: readonly Citation[] = []): void => {
    if (open !== 'text') return
    for (const citation of citations) sendDelta({ type: 'citations_delta', citation: toCitation(citation) })
  }
  const sendCall = ({ id, name, args }: ClientCall): void => {
    send('content_block_start', { index, content_block: { type: 'tool_use', id, name, input: {} } })
    sendDelta({ type: 'input_json_delta', partial_json: JSON.stringify(args) })
    send('content_block_stop', { index })
    index += 1
  }
  send('message_start', { message: emptyMessage(base) })
  send('ping')
  listen((event) => {
    sendThinking(reasoning?.read(event) ?? '')
    sendText(answer.read(event))
  })
  void end.then((last) => {
    const report = isWaitingAnswer(last) ? last : modelAnswerOf(last)
    if (isFailure(report)) buffer.push(sseBlock(anthropicErrorBody(report, clock.now()), { event: 'error' }))
    else {
      if (!isWaitingAnswer(report)) {
        sendText(answer.end(report))
        sendCitations(report.output.citations)
      }
      closeBlock()
      for (const call of isWaitingAnswer(report) ? report.calls : []) sendCall(call)
      send('message_delta', {
        delta: { stop_sequence: null, ...stopOf(report) },
        usage: usageOf(report),
      })
      send('message_stop')
    }
    buffer.end()
  })
}

function emptyMessage({ id, model }: MessageBase): Readonly<Record<string, unknown>> {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  }
}

function stopOf(end: RunReport | WaitingAnswer): Readonly<Record<string, unknown>> {
  if (isWaitingAnswer(end)) return { stop_reason: 'tool_use' }
  if (isRefused(end))
    return {
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: null, explanation: refusalOf(end) },
    }
  return { stop_reason: end.outcome === 'partial' ? 'max_tokens' : 'end_turn' }
}

/** Converts usage to Anthropic's format, which counts cached tokens separately. */
function usageOf({ usage }: Pick<WaitingAnswer, 'usage'>): Readonly<Record<string, number>> {
  return {
    input_tokens: Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens),
    output_tokens: usage.outputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
  }
}
