import type { RunReport } from '@troupe/schema'
import { answerOf, createAnswerText } from '../client-runs/answer-text.ts'
import { prepareModelRun, readModelCall } from '../client-runs/model-run.ts'
import { startRunStream, type RunStream } from '../client-runs/run-stream.ts'
import { isFailure } from '../headend/errors.ts'
import type { HeadendContext, Handler } from '../headend/headend.ts'
import { eventStream } from '../sse/event-stream.ts'
import { sseBlock } from '../sse/sse-block.ts'
import { createSseBuffer, type SseBuffer } from '../sse/sse-buffer.ts'
import { anthropicError, anthropicErrorBody } from './anthropic-error.ts'
import { anthropicMessages, anthropicOutput, messagesRequest } from './messages-request.ts'

/**
 * Handles `POST /anthropic/v1/messages`. The model is the name of an agent, and the client sends the
 * conversation.
 */
export function answerMessages(context: HeadendContext): Handler {
  return async ({ req, env: { caller } }) => {
    const runId = context.newId('run')
    const requestId = { 'request-id': runId }
    const call = await readModelCall(req.raw, {
      schema: messagesRequest,
      toMessages: anthropicMessages,
      runner: context.runner,
    })
    if (isFailure(call)) return anthropicError(call, requestId)
    const { body, agent, conversation } = call
    const head: MessageHead = { id: `msg_${runId}`, model: body.model }
    const headers = { 'troupe-run-id': runId, ...requestId }
    const ready = prepareModelRun(
      { agent, conversation, outputOptions: anthropicOutput(body), runId },
      { request: req.raw, caller },
      context,
    )
    if (isFailure(ready)) return anthropicError(ready, requestId)
    if (body.stream === true) {
      const started = await startRunStream(ready.run)
      if ('refused' in started) return anthropicError(started.refused, headers)
      const buffer = createSseBuffer({ onOverflow: () => caller.cut() })
      streamMessage(started, buffer, { head, isWhole: ready.isJson })
      return eventStream(buffer, { clock: context.clock, caller, headers })
    }
    const report = answerOf(await ready.run())
    return isFailure(report)
      ? anthropicError(report, headers)
      : Response.json(messageObject(head, report), { headers })
  }
}

/** The fields of a message that are known before its content. */
export interface MessageHead {
  readonly id: string
  /** Model name as the client sent it. */
  readonly model: string
}

/** Creates a whole message. */
export function messageObject(head: MessageHead, report: RunReport): Readonly<Record<string, unknown>> {
  const { text = '' } = report.output
  return {
    ...emptyMessage(head),
    content: text === '' ? [] : [{ type: 'text', text, citations: null }],
    stop_reason: stopOf(report),
    usage: usageOf(report),
  }
}

/** Streams a message with one text block, which is opened at the first text. */
export function streamMessage(
  { listen, end }: RunStream,
  buffer: Pick<SseBuffer, 'push' | 'end'>,
  { head, isWhole }: { readonly head: MessageHead; readonly isWhole: boolean },
): void {
  const answer = createAnswerText({ isWhole })
  let isOpen = false
  const send = (type: string, data: object = {}): void =>
    buffer.push(sseBlock({ type, ...data }, { event: type }))
  const sendText = (text: string): void => {
    if (text === '') return
    if (!isOpen)
      send('content_block_start', { index: 0, content_block: { type: 'text', text: '', citations: null } })
    isOpen = true
    send('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
  }
  send('message_start', { message: emptyMessage(head) })
  send('ping')
  listen((event) => sendText(answer.read(event)))
  void end.then((last) => {
    const report = answerOf(last)
    if (isFailure(report)) buffer.push(sseBlock(anthropicErrorBody(report), { event: 'error' }))
    else {
      sendText(answer.end(report))
      if (isOpen) send('content_block_stop', { index: 0 })
      send('message_delta', {
        delta: { stop_reason: stopOf(report), stop_sequence: null },
        usage: usageOf(report),
      })
      send('message_stop')
    }
    buffer.end()
  })
}

function emptyMessage({ id, model }: MessageHead): Readonly<Record<string, unknown>> {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  }
}

function stopOf({ outcome }: RunReport): 'end_turn' | 'max_tokens' {
  return outcome === 'partial' ? 'max_tokens' : 'end_turn'
}

/** Converts usage to Anthropic's format, which counts cached tokens separately. */
function usageOf({ usage }: RunReport): Readonly<Record<string, number>> {
  return {
    input_tokens: Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens),
    output_tokens: usage.outputTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
  }
}
