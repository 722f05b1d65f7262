import { failure, type Failure } from '@troupe/schema'
import { createAnswerText, answerOf } from '../client-runs/answer-text.ts'
import { prepareModelRun, readModelCall } from '../client-runs/model-run.ts'
import type { RunStream } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import type { Caller, HeadendContext, Handler } from '../headend/headend.ts'
import { sseBlock, type SseBuffer } from '../sse/event-stream.ts'
import { answerModelRun } from './answer-model-run.ts'
import { openAIError } from './openai-error.ts'
import { responsesMessages, responsesOutput, responsesRequest } from './responses-request.ts'
import {
  responseObject,
  type ResponseBase,
  messageItem,
  textPart,
  type ResponseState,
  noteOf,
  readResponseId,
  responseId,
  unstoredResponseId,
} from './stored-response.ts'

/**
 * Handles `POST /openai/v1/responses`: starts a conversation, uses one that the client sends, or continues a
 * stored one.
 */
export function answerResponses(context: HeadendContext): Handler {
  return async ({ req, env: { caller } }) => {
    const call = await readModelCall(req.raw, {
      schema: responsesRequest,
      toMessages: responsesMessages,
      runner: context.runner,
    })
    if (isFailure(call)) return openAIError(call)
    const { body, agent, conversation } = call
    const sessionId = await findSession(body.previous_response_id ?? undefined, caller, context)
    if (typeof sessionId === 'object') return openAIError(sessionId)
    const runId = context.newId('run')
    const base: ResponseBase = {
      id:
        body.store === false
          ? unstoredResponseId(runId)
          : responseId({ runId, sessionId: sessionId ?? runId }),
      createdAt: Math.floor(context.clock.now() / 1000),
      request: body,
    }
    const ready = prepareModelRun(
      {
        agent,
        conversation,
        outputOptions: responsesOutput(body, agent),
        sessionId,
        runId,
        note: noteOf(body),
      },
      { request: req.raw, caller },
      context,
    )
    return answerModelRun(
      ready,
      {
        headers: { 'troupe-run-id': runId, 'troupe-session-id': sessionId ?? runId },
        isStream: body.stream === true,
        stream: (started, buffer, answer) => streamResponse(started, buffer, { base, ...answer }),
        body: ({ outcome, output, usage }) => {
          const status = outcome === 'partial' ? 'incomplete' : 'completed'
          return responseObject(base, { status, text: output.text ?? '', usage })
        },
      },
      { clock: context.clock, caller },
    )
  }
}

/** Returns the session of an earlier response. Only the last response of a conversation can be continued. */
async function findSession(
  id: string | undefined,
  { principal }: Caller,
  { runner }: HeadendContext,
): Promise<string | Failure | undefined> {
  if (id === undefined) return undefined
  const ref = readResponseId(id)
  const conversation = ref === undefined ? undefined : await runner.session(ref.sessionId, { principal })
  if (ref === undefined || conversation === undefined)
    return failure('session_unknown', `previous_response_id: there is no response ${id.slice(0, 250)}.`)
  if (conversation.lastRunId === ref.runId) return ref.sessionId
  return failure(
    'request_invalid',
    'previous_response_id: the conversation has continued since this response.',
    'Continue from its last response, or send the whole conversation.',
  )
}

/** Streams a response with one message item, one text part and exactly one end event. */
function streamResponse(
  { listen, end }: RunStream,
  buffer: Pick<SseBuffer, 'push' | 'end'>,
  { base, isWhole }: { readonly base: ResponseBase; readonly isWhole: boolean },
): void {
  const answer = createAnswerText({ isWhole })
  const item = messageItem(base.id, { status: 'in_progress' })
  const partIds = { item_id: item['id'], output_index: 0, content_index: 0 }
  let sequence = 0
  let text = ''
  const send = (type: string, data: object): void =>
    buffer.push(sseBlock({ type, sequence_number: sequence++, ...data }, { event: type }))
  const sendState = (type: string, state: ResponseState): void =>
    send(type, { response: responseObject(base, state) })
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
      send('response.output_item.done', { output_index: 0, item: messageItem(base.id, { status, text }) })
      sendState(`response.${status}`, { status, text, usage: report.usage })
    }
    buffer.end()
  })
}
