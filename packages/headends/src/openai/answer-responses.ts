import { failure, type Failure } from '@troupe/schema'
import { answerOf } from '../answer-of.ts'
import { beginRun } from '../begin-run.ts'
import { eventStream } from '../event-stream.ts'
import type { Caller, HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'
import { readyModelRun } from '../model-run.ts'
import { createOutbox } from '../outbox.ts'
import { readModelCall } from '../read-model-call.ts'
import type { Handler } from '../routes.ts'
import { openAIError } from './openai-error.ts'
import { readResponseId, responseId } from './response-id.ts'
import { responseObject, type ResponseHead } from './response-object.ts'
import { responsesMessages, responsesOutput, responsesRequest } from './responses-request.ts'
import { streamResponse } from './stream-response.ts'

/** `POST /openai/v1/responses`: a new conversation, one that the client sends, or one that is kept here and goes on. */
export function answerResponses(context: HeadendContext): Handler {
  return async ({ req, env: { caller } }) => {
    const call = await readModelCall(req.raw, {
      schema: responsesRequest,
      toMessages: responsesMessages,
      runner: context.runner,
    })
    if (isFailure(call)) return openAIError(call)
    const { asked, agent, conversation } = call
    const sessionId = await findSession(asked.previous_response_id ?? undefined, caller, context)
    if (typeof sessionId === 'object') return openAIError(sessionId)
    const runId = context.newId('run')
    const head: ResponseHead = {
      id: responseId({ runId, sessionId: sessionId ?? runId }),
      createdAt: Math.floor(context.clock.now() / 1000),
      asked,
    }
    const headers = { 'troupe-run-id': runId, 'troupe-session-id': sessionId ?? runId }
    const ready = readyModelRun(
      { agent, conversation, wish: responsesOutput(asked, agent), sessionId, runId },
      { request: req.raw, caller },
      context,
    )
    if (isFailure(ready)) return openAIError(ready)
    if (asked.stream === true) {
      const begun = await beginRun(ready.run)
      if ('refused' in begun) return openAIError(begun.refused, headers)
      const outbox = createOutbox({ dropped: () => caller.cut() })
      streamResponse(begun, outbox, { head, isWhole: ready.isJson })
      return eventStream(outbox, { clock: context.clock, caller, headers })
    }
    const report = answerOf(await ready.run())
    if (isFailure(report)) return openAIError(report, headers)
    const { outcome, output, usage } = report
    const status = outcome === 'partial' ? 'incomplete' : 'completed'
    return Response.json(responseObject(head, { status, text: output.text ?? '', usage }), { headers })
  }
}

/** The conversation that a response ended; only its last response can be gone on from. */
async function findSession(
  id: string | undefined,
  { principal }: Caller,
  { runner }: HeadendContext,
): Promise<string | Failure | undefined> {
  if (id === undefined) return undefined
  const place = readResponseId(id)
  const conversation = place === undefined ? undefined : await runner.session(place.sessionId, { principal })
  if (place === undefined || conversation === undefined)
    return failure('session_unknown', `previous_response_id: there is no response ${id.slice(0, 250)}.`)
  if (conversation.lastRunId === place.runId) return place.sessionId
  return failure(
    'request_invalid',
    'previous_response_id: the conversation has gone on since this response.',
    'Go on from its last response, or send the conversation itself.',
  )
}
