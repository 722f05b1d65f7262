import { failure, troupeError, type Failure } from '@troupe/schema'
import { z } from 'zod'
import { readModelCall } from '../client-calls/model-run.ts'
import { estimateTokens } from '../client-runs/estimate-tokens.ts'
import { isFailure } from '../headend/errors.ts'
import type { Handler, HeadendContext } from '../headend/headend.ts'
import { checkShape, type QuerySchema } from '../request/read-json.ts'
import type { RunService } from '../run-service/run-service.ts'
import { eventStream } from '../sse/event-stream.ts'
import type { BackgroundResponses } from './background-responses.ts'
import { inputItems } from './input-items.ts'
import { itemsQueryShape, listObject, queryOf } from './item-list.ts'
import { openAIError } from './openai-error.ts'
import { replayResponse } from './replay-response.ts'
import { responseObject } from './response-object.ts'
import { inputTokensRequest, responsesMessages, responsesTools } from './responses-request.ts'
import {
  DELETED_NOTE,
  findResponse,
  isOpenResponse,
  readResponse,
  shownState,
  type ResponseRuns,
} from './stored-response.ts'

/** Dependencies of the routes of stored responses. */
export interface StoredResponsesContext {
  readonly runService: ResponseRuns & Pick<RunService, 'stop' | 'addNote'>
  readonly background: BackgroundResponses
  readonly clock: HeadendContext['clock']
}

const COUNT = 'must be a whole number'

/** Query of `GET /openai/v1/responses/:id`. */
interface ReadQuery {
  readonly stream?: 'true' | 'false' | undefined
  readonly starting_after?: number | undefined
}

/** Schema of the query of `GET /openai/v1/responses/:id`. Other parameters are ignored. */
export const readQueryShape: QuerySchema<ReadQuery> = z.object({
  stream: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'If `true`, the events of the response.' }),
  starting_after: z.coerce
    .number({ error: COUNT })
    .int(COUNT)
    .min(0, COUNT)
    .optional()
    .meta({ description: 'With `stream`: only events with a greater `sequence_number`.' }),
})

/** Handles `GET /openai/v1/responses/:id`: returns a response in its current state, or streams its events. */
export function readHandler({ runService, background, clock }: StoredResponsesContext): Handler {
  return async ({ req, env: { caller } }) => {
    const id = req.param('id') ?? ''
    const query = checkShape(queryOf(req.url), readQueryShape)
    if (!query.ok) return openAIError(query.reason)
    const { stream, starting_after: after = -1 } = query.value
    const { principal } = caller
    const response = await readResponse(id, principal, runService)
    if (stream !== 'true') return Response.json(responseObject(response.base, shownState(response)))
    const events =
      background.find(id)?.follow(after + 1) ??
      replayResponse(response, { after, clock, read: () => readResponse(id, principal, runService) })
    return eventStream(events, { clock, caller })
  }
}

/** Handles `POST /openai/v1/responses/:id/cancel`. A response that has ended stays as it is. */
export function cancelHandler({ runService }: StoredResponsesContext): Handler {
  return async ({ req, env: { caller } }) => {
    const id = req.param('id') ?? ''
    const { principal } = caller
    const { runId, fields } = await findResponse(id, principal, runService)
    if (fields.background !== true) return openAIError(NOT_IN_BACKGROUND)
    const before = await readResponse(id, principal, runService)
    if (isOpenResponse(before.state)) await runService.stop(runId, principal)
    const response = await readResponse(id, principal, runService)
    return Response.json(responseObject(response.base, shownState(response)))
  }
}

const NOT_IN_BACKGROUND = failure(
  'request_invalid',
  'Only a response that was created with `background: true` can be cancelled.',
  'Close the connection of the response to cancel it.',
)

/**
 * Handles `DELETE /openai/v1/responses/:id`. The response can no longer be read or continued; its run stays in the
 * store.
 */
export function deleteHandler({ runService, background }: StoredResponsesContext): Handler {
  return async ({ req, env: { caller } }) => {
    const id = req.param('id') ?? ''
    const { principal } = caller
    const { runId, request } = await findResponse(id, principal, runService)
    if (request === undefined) return openAIError(notStored(id))
    const { state } = await readResponse(id, principal, runService)
    if (isOpenResponse(state)) return openAIError(STILL_OPEN)
    // a run that waits for results of its client would wait in vain
    await runService.stop(runId, principal)
    await runService.addNote(runId, principal, DELETED_NOTE)
    background.remove(id)
    return Response.json({ id, object: 'response', deleted: true })
  }
}

const STILL_OPEN = failure(
  'request_invalid',
  'The response has not ended.',
  'Cancel it first, or wait for its end.',
)

/** Handles `GET /openai/v1/responses/:id/input_items`. */
export function inputItemsHandler({ runService }: StoredResponsesContext): Handler {
  return async ({ req, env: { caller } }) => {
    const id = req.param('id') ?? ''
    const query = checkShape(queryOf(req.url), itemsQueryShape)
    if (!query.ok) return openAIError(query.reason)
    const { limit, order, after } = query.value
    const { request, fields } = await findResponse(id, caller.principal, runService)
    if (request === undefined) return openAIError(notStored(id))
    const items = inputItems(id, request, fields.instructions)
    const ordered = order === 'asc' ? items : items.toReversed()
    const start = after === undefined ? 0 : ordered.findIndex((item) => item.id === after) + 1
    if (after !== undefined && start === 0)
      return openAIError(failure('request_invalid', `after: there is no item ${after.slice(0, 250)}.`))
    return Response.json(listObject(ordered.slice(start), limit))
  }
}

/** Handles `POST /openai/v1/responses/input_tokens`. The tools of the agent are not part of the estimate. */
export function inputTokensHandler({ runner }: Pick<HeadendContext, 'runner'>): Handler {
  return async ({ req }) => {
    const call = await readModelCall(req.raw, {
      schema: inputTokensRequest,
      toMessages: responsesMessages,
      toTools: responsesTools,
      runner,
    })
    if (isFailure(call)) return openAIError(call)
    const { agent, messages, clientTools } = call
    const texts = messages.flatMap(({ text, calls = [] }) => [
      text,
      ...calls.map(({ name, args }) => `${name} ${JSON.stringify(args)}`),
    ])
    const tools = (clientTools?.tools ?? []).map((tool) => JSON.stringify(tool))
    const files = messages.flatMap(({ attachments = [] }) => attachments).length
    return Response.json({
      object: 'response.input_tokens',
      input_tokens: estimateTokens([agent.instruction, ...texts, ...tools].join('\n'), { files }),
    })
  }
}

/** Handles `POST /openai/v1/responses/compact`. Only a run can shorten its own conversation. */
export function compactHandler(): Handler {
  return () =>
    openAIError(
      failure(
        'request_invalid',
        'Conversations cannot be compacted on request: an agent shortens its conversation itself when it approaches the context window of its model.',
        'Set `context` in the card of the agent to choose how.',
      ),
    )
}

function notStored(id: string): Failure {
  return troupeError('run_unknown', `Only metadata of the response ${id.slice(0, 200)} is stored.`).failure
}
