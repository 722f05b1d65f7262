import { failure, type Failure, type RunReport } from '@troupe/schema'
import type { SessionKey } from '@troupe/schema/ports'
import type { ClientRuns } from '../client-calls/client-runs.ts'
import type { WaitingAnswer } from '../client-calls/collect-answer.ts'
import {
  planModelRun,
  prepareModelRun,
  readModelCall,
  type PlannedModelRun,
  type StoredHistory,
} from '../client-calls/model-run.ts'
import type { ClientMessage } from '../client-runs/client-conversation.ts'
import { isFailure } from '../headend/errors.ts'
import type { Caller, HeadendContext, Handler } from '../headend/headend.ts'
import type { RunService } from '../run-service/run-service.ts'
import { eventStream } from '../sse/event-stream.ts'
import { answerModelRun } from './answer-model-run.ts'
import type { BackgroundResponses } from './background-responses.ts'
import { openAIError } from './openai-error.ts'
import { readResponseId, responseId, unstoredResponseId } from './response-id.ts'
import { endState, responseObject, type ResponseBase } from './response-object.ts'
import { findConversation } from './stored-conversation.ts'
import {
  conversationOf,
  responsesMessages,
  responsesOutput,
  responsesRequest,
  responsesTools,
  wantsSummary,
} from './responses-request.ts'
import { isDeletedResponse, noteOf, type ResponseRuns } from './stored-response.ts'
import { contentOf, streamResponse } from './stream-response.ts'

/** Dependencies of the creation of responses. */
export interface ResponsesContext extends HeadendContext {
  readonly clientRuns: ClientRuns
  readonly runService: ResponseRuns & Pick<RunService, 'sessions'>
  readonly background: BackgroundResponses
}

/**
 * Handles `POST /openai/v1/responses`: starts a conversation, uses one that the client sends, or continues a
 * stored one. With `background` the run does not need its client.
 */
export function answerResponses(context: ResponsesContext): Handler {
  return async ({ req, env: { caller } }) => {
    const call = await readModelCall(req.raw, {
      schema: responsesRequest,
      toMessages: responsesMessages,
      toTools: responsesTools,
      runner: context.runner,
    })
    if (isFailure(call)) return openAIError(call)
    const { body, agent } = call
    const isBackground = body.background === true
    const isStored = body.store !== false
    if (isBackground && !isStored) return openAIError(UNSTORED_BACKGROUND)
    const conversation = conversationOf(body)
    if (conversation !== undefined && !isStored) return openAIError(UNSTORED_IN_CONVERSATION)
    const previous = body.previous_response_id ?? undefined
    const session =
      conversation === undefined
        ? undefined
        : (await findConversation(conversation, caller.principal, context.runService.sessions)).session
    const newId = context.newId('run')
    const planned = await planModelRun(
      {
        ...call,
        outputOptions: responsesOutput(body, agent),
        findHistory: () =>
          session === undefined
            ? findHistory(previous, caller, context)
            : continueConversation(session, context),
        runId: newId,
        note: noteOf(body),
      },
      caller,
      context.clientRuns,
    )
    if (isFailure(planned)) return openAIError(planned)
    const { runId, sessionId = runId } = planned
    const misplaced = session === undefined ? undefined : conversationProblem(planned, call.messages, session)
    if (misplaced !== undefined) return openAIError(misplaced)
    const base: ResponseBase = {
      id: isStored
        ? responseId({ runId, sessionId }, runId === newId ? undefined : newId)
        : unstoredResponseId(newId),
      createdAt: Math.floor(context.clock.now() / 1000),
      request: body,
    }
    const headers = { 'troupe-run-id': runId, 'troupe-session-id': sessionId }
    if (isBackground) return answerInBackground(planned, { base, headers, caller }, context)
    return answerModelRun(
      prepareModelRun(planned, { request: req.raw, caller }, context.clientRuns),
      {
        headers,
        isStream: body.stream === true,
        wantsReasoning: wantsSummary(body),
        stream: (started, buffer, answer) =>
          streamResponse(started, buffer, { base, clock: context.clock, ...answer }),
        body: (end, reasoning) => responseObject(base, stateOf(base, end, reasoning)),
      },
      { clock: context.clock, caller },
    )
  }
}

const UNSTORED_BACKGROUND = failure(
  'request_invalid',
  'background: a response with `store: false` cannot be created in the background.',
  'Leave out `store`.',
)

const UNSTORED_IN_CONVERSATION = failure(
  'request_invalid',
  'conversation: a response with `store: false` cannot be added to a conversation.',
  'Leave out `store`.',
)

/** Returns the reason why a run cannot be added to a conversation. */
function conversationProblem(
  planned: PlannedModelRun,
  messages: readonly ClientMessage[],
  { sessionId }: SessionKey,
): Failure | undefined {
  if (planned.sessionId !== sessionId)
    return failure('request_invalid', 'conversation: the calls with these results are not part of it.')
  if ('waiting' in planned || !messages.some(({ role }) => role === 'assistant')) return undefined
  return failure(
    'request_invalid',
    'input: a conversation has its earlier messages already.',
    'Send only the new messages of the user.',
  )
}

/** Continues the session of a conversation. A run whose calls the client left open is cancelled. */
async function continueConversation(
  session: SessionKey,
  { runner, clientRuns }: ResponsesContext,
): Promise<StoredHistory> {
  const { sessionId, principal } = session
  const last = await runner.session(sessionId, { principal })
  if (last !== undefined)
    await (await clientRuns.find({ runId: last.lastRunId, principal, agent: last.agent }))?.cancel()
  return { sessionId }
}

function stateOf(base: ResponseBase, end: RunReport | WaitingAnswer, reasoning: string) {
  return endState(base, { ...contentOf(end), reasoning })
}

/** Starts the run, and responds at once with the state of the response or with its events. */
async function answerInBackground(
  planned: PlannedModelRun,
  {
    base,
    headers,
    caller,
  }: {
    readonly base: ResponseBase
    readonly headers: Readonly<Record<string, string>>
    readonly caller: Caller
  },
  { background, clock }: Pick<ResponsesContext, 'background' | 'clock'>,
): Promise<Response> {
  const started = await background.start(planned, { base, caller })
  if (isFailure(started)) return openAIError(started, headers)
  const events = base.request.stream === true ? started.log.follow(0) : undefined
  if (events !== undefined) return eventStream(events, { clock, caller, headers })
  const status = started.state === 'queued' ? 'queued' : 'in_progress'
  return Response.json(responseObject(base, { status }), { headers })
}

/**
 * Returns what a response after an earlier one continues: the conversation of the earlier response if it is the
 * last one there, otherwise a branch from it. A run whose calls the client left open is cancelled.
 */
async function findHistory(
  id: string | undefined,
  { principal }: Caller,
  { runner, clientRuns, runService }: ResponsesContext,
): Promise<StoredHistory | Failure | undefined> {
  if (id === undefined) return undefined
  const ref = readResponseId(id)
  const conversation = ref === undefined ? undefined : await runner.session(ref.sessionId, { principal })
  if (ref === undefined || conversation === undefined) return previousUnknown(id)
  const { runId, sessionId } = ref
  if (await isDeletedResponse(ref, principal, runService)) return previousUnknown(id)
  // a conversation that the client created grows only by responses that name it
  const isCreated = (await runService.sessions.note({ sessionId, principal })) !== undefined
  if (conversation.lastRunId !== runId || isCreated) return { branchFrom: runId }
  const waiting = await clientRuns.find({ runId, principal, agent: conversation.agent })
  await waiting?.cancel()
  return { sessionId }
}

function previousUnknown(id: string): Failure {
  return failure('session_unknown', `previous_response_id: there is no response ${id.slice(0, 250)}.`)
}
