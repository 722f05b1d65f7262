import { failure, type Failure } from '@troupe/schema'
import type { Caller } from '../caller.ts'
import type { HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { prepareModelRun } from '../model-run.ts'
import { readModelCall } from '../read-model-call.ts'
import type { Handler } from '../handler.ts'
import { noteOf } from './response-note.ts'
import { answerModelRun } from './answer-model-run.ts'
import { openAIError } from './openai-error.ts'
import { readResponseId, responseId, unstoredResponseId } from './response-id.ts'
import { responseObject, type ResponseHead } from './response-object.ts'
import { responsesMessages, responsesOutput, responsesRequest } from './responses-request.ts'
import { streamResponse } from './stream-response.ts'

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
    const head: ResponseHead = {
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
        stream: (started, buffer, answer) => streamResponse(started, buffer, { head, ...answer }),
        body: ({ outcome, output, usage }) => {
          const status = outcome === 'partial' ? 'incomplete' : 'completed'
          return responseObject(head, { status, text: output.text ?? '', usage })
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
    'previous_response_id: the conversation has gone on since this response.',
    'Go on from its last response, or send the conversation itself.',
  )
}
