import type { Clock } from '@troupe/schema'
import { isFailure } from '../headend/errors.ts'
import { createAnswerText, isRefused, modelAnswerOf } from '../client-runs/answer-text.ts'
import { createReasoningText } from '../client-runs/reasoning-text.ts'
import { isWaitingAnswer, type ClientCall, type ModelRunEnd } from '../client-calls/collect-answer.ts'
import type { RunStream } from '../client-runs/run-for-caller.ts'
import { placeCitations } from '../client-runs/place-citations.ts'
import { sseBlock } from '../sse/event-stream.ts'
import {
  callItem,
  messageItem,
  reasoningItem,
  responseObject,
  summaryPart,
  textPart,
  toAnnotation,
  type OutputItem,
  type ResponseBase,
  type ResponseContent,
  type ResponseState,
} from './response-object.ts'
import { wantsSummary } from './responses-request.ts'

/** A receiver of the events of a response. */
export interface ResponseSink {
  push(block: string): void
  /** Called after the last event. */
  end(): void
}

/**
 * Streams a response: its items one after the other, and exactly one end event. The message is left out if there
 * are only calls, and reasoning if the client does not ask for it.
 */
export function streamResponse(
  { listen, end }: RunStream<ModelRunEnd>,
  sink: ResponseSink,
  {
    base,
    isWhole,
    clock,
  }: { readonly base: ResponseBase; readonly isWhole: boolean; readonly clock: Pick<Clock, 'now'> },
): void {
  const answer = createAnswerText({ isWhole })
  const reasoning = wantsSummary(base.request) ? createReasoningText({ withChildren: true }) : undefined
  const writer = createResponseWriter(base, (block) => sink.push(block))
  writer.begin()
  listen((event) => {
    writer.append('reasoning', reasoning?.read(event) ?? '')
    writer.append('message', answer.read(event))
  })
  void end.then((last) => {
    const report = isWaitingAnswer(last) ? last : modelAnswerOf(last)
    if (isFailure(report))
      writer.end(
        report.class === 'cancelled'
          ? { status: 'cancelled' }
          : { status: 'failed', reason: report, now: clock.now() },
      )
    else {
      if (!isWaitingAnswer(report)) writer.append('message', answer.end(report))
      writer.end(contentOf(report))
    }
    sink.end()
  })
}

/** Returns the content of an answer. */
export function contentOf(end: Exclude<ModelRunEnd, { readonly code: unknown }>): ResponseContent {
  if (isWaitingAnswer(end)) return { status: 'completed', ...end }
  const { outcome, output, usage } = end
  if (isRefused(end)) return { status: 'incomplete', isFiltered: true, text: output.text ?? '', usage }
  const { text = '', citations } = output
  return { status: outcome === 'partial' ? 'incomplete' : 'completed', text, citations, usage }
}

/** A writer of the events of a response. Events are numbered from 0. */
export interface ResponseWriter {
  begin(): void
  /** Adds text to the open item of this kind. Opens one if there is none. */
  append(kind: 'message' | 'reasoning', delta: string): void
  /** Closes the open item, and sends the calls and the end event. `text` was appended before. */
  end(state: ResponseContent | Exclude<ResponseState, { readonly output: unknown }>): void
}

/** Creates a writer. `push` receives each event with its number, which `numberOf` may raise. */
export function createResponseWriter(
  base: ResponseBase,
  push: (block: string, sequenceNumber: number) => void,
  { endNumber = 0 }: { readonly endNumber?: number } = {},
): ResponseWriter {
  const output: OutputItem[] = []
  const counts = { message: 0, reasoning: 0 }
  let sequence = 0
  let open: OpenItem | undefined

  const send = (type: string, data: object): void => {
    push(sseBlock({ type, sequence_number: sequence, ...data }, { event: type }), sequence)
    sequence += 1
  }
  const sendState = (type: string, state: ResponseState): void =>
    send(type, { response: responseObject(base, state) })

  function openItem(kind: OpenItem['kind']): OpenItem {
    closeItem('completed')
    const ordinal = counts[kind]
    counts[kind] += 1
    const item = ITEMS[kind].item(base.id, { status: 'in_progress', ordinal })
    const ids = { item_id: item.id, output_index: output.length, ...ITEMS[kind].ids }
    send('response.output_item.added', { output_index: output.length, item })
    send(`response.${ITEMS[kind].part}.added`, { ...ids, part: ITEMS[kind].toPart('') })
    open = { kind, ordinal, ids, text: '' }
    return open
  }

  function closeItem(status: 'completed' | 'incomplete', answer: Partial<ResponseContent> = {}): void {
    if (open === undefined) return
    const { kind, ordinal, ids, text } = open
    open = undefined
    const citations = kind === 'message' ? placeCitations(answer, text) : []
    for (const [annotation_index, citation] of citations.entries())
      send('response.output_text.annotation.added', {
        ...ids,
        annotation_index,
        annotation: toAnnotation(citation),
      })
    const { item: toItem, part, text: name, toPart, extra } = ITEMS[kind]
    const item = toItem(base.id, { status, text, ordinal, citations })
    send(`response.${name}.done`, { ...ids, text, ...extra })
    send(`response.${part}.done`, { ...ids, part: toPart(text, citations) })
    send('response.output_item.done', { output_index: output.length, item })
    output.push(item)
  }

  function sendCall(call: ClientCall): void {
    const item = callItem(base, call)
    const ids = { item_id: item.id, output_index: output.length }
    const args = JSON.stringify(call.args)
    send('response.output_item.added', {
      output_index: output.length,
      item: callItem(base, call, { isStarted: true }),
    })
    send('response.function_call_arguments.delta', { ...ids, delta: args })
    send('response.function_call_arguments.done', { ...ids, name: item['name'], arguments: args })
    send('response.output_item.done', { output_index: output.length, item })
    output.push(item)
  }

  return {
    begin() {
      sendState('response.created', { status: 'in_progress' })
      sendState('response.in_progress', { status: 'in_progress' })
    },
    append(kind, delta) {
      if (delta === '') return
      const isNew = open?.kind !== kind
      const item = open !== undefined && !isNew ? open : openItem(kind)
      const text = isNew && kind === 'reasoning' ? delta.trimStart() : delta
      item.text += text
      send(`response.${ITEMS[kind].text}.delta`, { ...item.ids, delta: text, ...ITEMS[kind].extra })
    },
    end(state) {
      sequence = Math.max(sequence, endNumber)
      if (!('usage' in state)) {
        // the clients know no end event of their own for a cancelled response
        sendState('response.failed', state)
        return
      }
      const { status, usage, calls = [], isFiltered = false } = state
      if (calls.length === 0 && counts.message === 0) openItem('message')
      closeItem(status, state)
      for (const call of calls) sendCall(call)
      sendState(`response.${status}`, { status, output, usage, isFiltered })
    },
  }
}

interface OpenItem {
  readonly kind: 'message' | 'reasoning'
  readonly ordinal: number
  readonly ids: object
  text: string
}

/** The names and parts of items with text in events. */
const ITEMS = {
  message: {
    item: messageItem,
    part: 'content_part',
    text: 'output_text',
    toPart: textPart,
    ids: { content_index: 0 },
    extra: { logprobs: [] },
  },
  reasoning: {
    item: reasoningItem,
    part: 'reasoning_summary_part',
    text: 'reasoning_summary_text',
    toPart: summaryPart,
    ids: { summary_index: 0 },
    extra: {},
  },
} as const
