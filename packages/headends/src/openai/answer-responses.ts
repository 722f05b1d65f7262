import { failure, type Failure, type RunReport } from '@troupe/schema'
import { createAnswerText, answerOf } from '../client-runs/answer-text.ts'
import type { ClientRuns } from '../client-calls/client-runs.ts'
import {
  isWaitingAnswer,
  type ClientCall,
  type ModelRunEnd,
  type WaitingAnswer,
} from '../client-calls/collect-answer.ts'
import { prepareModelRun, readModelCall } from '../client-calls/model-run.ts'
import type { RunStream } from '../client-runs/run-for-caller.ts'
import { isFailure } from '../headend/errors.ts'
import type { Caller, HeadendContext, Handler } from '../headend/headend.ts'
import { sseBlock, type SseBuffer } from '../sse/event-stream.ts'
import { answerModelRun } from './answer-model-run.ts'
import { openAIError } from './openai-error.ts'
import { responsesMessages, responsesOutput, responsesRequest, responsesTools } from './responses-request.ts'
import {
  responseObject,
  type ResponseBase,
  callItem,
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
export function answerResponses(context: HeadendContext, clientRuns: ClientRuns): Handler {
  return async ({ req, env: { caller } }) => {
    const call = await readModelCall(req.raw, {
      schema: responsesRequest,
      toMessages: responsesMessages,
      toTools: responsesTools,
      runner: context.runner,
    })
    if (isFailure(call)) return openAIError(call)
    const { body, agent } = call
    const previous = body.previous_response_id ?? undefined
    const newId = context.newId('run')
    const ready = await prepareModelRun(
      {
        ...call,
        outputOptions: responsesOutput(body, agent),
        findSession: () => findSession(previous, caller, { ...context, clientRuns }),
        runId: newId,
        note: noteOf(body),
      },
      { request: req.raw, caller },
      clientRuns,
    )
    if (isFailure(ready)) return openAIError(ready)
    const { runId, sessionId = runId } = ready
    const isStored = body.store !== false
    const base: ResponseBase = {
      id: isStored
        ? responseId({ runId, sessionId }, runId === newId ? undefined : newId)
        : unstoredResponseId(newId),
      createdAt: Math.floor(context.clock.now() / 1000),
      request: body,
    }
    return answerModelRun(
      ready,
      {
        headers: { 'troupe-run-id': runId, 'troupe-session-id': sessionId },
        isStream: body.stream === true,
        stream: (started, buffer, answer) => streamResponse(started, buffer, { base, ...answer }),
        body: (end) => responseObject(base, stateOf(end)),
      },
      { clock: context.clock, caller },
    )
  }
}

function stateOf(end: RunReport | WaitingAnswer): Extract<ResponseState, { readonly text: string }> {
  if (isWaitingAnswer(end)) return { status: 'completed', ...end }
  const { outcome, output, usage } = end
  return { status: outcome === 'partial' ? 'incomplete' : 'completed', text: output.text ?? '', usage }
}

/**
 * Returns the session of an earlier response. Only the last response of a conversation can be continued. A run
 * whose calls the client left open is cancelled.
 */
async function findSession(
  id: string | undefined,
  { principal }: Caller,
  { runner, clientRuns }: Pick<HeadendContext, 'runner'> & { readonly clientRuns: ClientRuns },
): Promise<string | Failure | undefined> {
  if (id === undefined) return undefined
  const ref = readResponseId(id)
  const conversation = ref === undefined ? undefined : await runner.session(ref.sessionId, { principal })
  if (ref === undefined || conversation === undefined)
    return failure('session_unknown', `previous_response_id: there is no response ${id.slice(0, 250)}.`)
  if (conversation.lastRunId === ref.runId) {
    const waiting = await clientRuns.find({ runId: ref.runId, principal, agent: conversation.agent })
    await waiting?.cancel()
    return ref.sessionId
  }
  return failure(
    'request_invalid',
    'previous_response_id: the conversation has continued since this response.',
    'Continue from its last response, or send the whole conversation.',
  )
}

/**
 * Streams a response with a message item of one text part, an item for each call, and exactly one end event. The
 * message is left out if there are only calls.
 */
function streamResponse(
  { listen, end }: RunStream<ModelRunEnd>,
  buffer: Pick<SseBuffer, 'push' | 'end'>,
  { base, isWhole }: { readonly base: ResponseBase; readonly isWhole: boolean },
): void {
  const answer = createAnswerText({ isWhole })
  const item = messageItem(base.id, { status: 'in_progress' })
  const partIds = { item_id: item['id'], output_index: 0, content_index: 0 }
  let sequence = 0
  let text = ''
  let isOpen = false
  const send = (type: string, data: object): void =>
    buffer.push(sseBlock({ type, sequence_number: sequence++, ...data }, { event: type }))
  const sendState = (type: string, state: ResponseState): void =>
    send(type, { response: responseObject(base, state) })
  const openMessage = (): void => {
    if (isOpen) return
    isOpen = true
    send('response.output_item.added', { output_index: 0, item })
    send('response.content_part.added', { ...partIds, part: textPart('') })
  }
  const sendText = (delta: string): void => {
    if (delta === '') return
    openMessage()
    text += delta
    send('response.output_text.delta', { ...partIds, delta, logprobs: [] })
  }

  const closeMessage = (status: 'completed' | 'incomplete'): void => {
    send('response.output_text.done', { ...partIds, text, logprobs: [] })
    send('response.content_part.done', { ...partIds, part: textPart(text) })
    send('response.output_item.done', { output_index: 0, item: messageItem(base.id, { status, text }) })
  }
  const sendCall = (call: ClientCall, index: number): void => {
    const done = callItem(base, call)
    const ids = { item_id: done.id, output_index: index }
    const args = JSON.stringify(call.args)
    send('response.output_item.added', {
      output_index: index,
      item: callItem(base, call, { isStarted: true }),
    })
    send('response.function_call_arguments.delta', { ...ids, delta: args })
    send('response.function_call_arguments.done', { ...ids, name: done['name'], arguments: args })
    send('response.output_item.done', { output_index: index, item: done })
  }

  sendState('response.created', { status: 'in_progress' })
  sendState('response.in_progress', { status: 'in_progress' })
  listen((event) => sendText(answer.read(event)))
  void end.then((last) => {
    const report = isWaitingAnswer(last) ? last : answerOf(last)
    if (isFailure(report)) sendState('response.failed', { status: 'failed', reason: report })
    else {
      if (!isWaitingAnswer(report)) {
        sendText(answer.end(report))
        openMessage()
      }
      const { status, usage, calls = [] } = stateOf(report)
      if (isOpen) closeMessage(status)
      for (const [index, call] of calls.entries()) sendCall(call, index + (isOpen ? 1 : 0))
      sendState(`response.${status}`, { status, text, usage, calls })
    }
    buffer.end()
  })
}
