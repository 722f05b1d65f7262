import { answerOf } from '../answer-of.ts'
import { startRunStream } from '../start-run-stream.ts'
import { eventStream } from '../event-stream.ts'
import type { HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { prepareModelRun } from '../model-run.ts'
import { createSseBuffer } from '../sse-buffer.ts'
import { readModelCall } from '../read-model-call.ts'
import type { Handler } from '../handler.ts'
import { anthropicError } from './anthropic-error.ts'
import { messageObject, streamMessage, type MessageHead } from './message-object.ts'
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
