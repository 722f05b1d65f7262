import {
  failure,
  isJsonObject,
  openRequests,
  toFailure,
  troupeError,
  type Json,
  type JsonObject,
} from '@troupe/schema'
import { toClientCall } from '../client-calls/collect-answer.ts'
import { isRefused } from '../client-runs/answer-text.ts'
import type { RunService } from '../run-service/run-service.ts'
import type { RunView } from '../run-service/run-view.ts'
import type { StoredRunRequest } from '../run-service/stored-run.ts'
import { readResponseId, type ResponseRef } from './response-id.ts'
import { endState, type ResponseBase, type ResponseContent, type ResponseState } from './response-object.ts'

/** The parts of a run service that stored responses need. */
export type ResponseRuns = Pick<RunService, 'view' | 'request' | 'events'>

/** The run of a stored response, and its request. */
export interface ResponseRun extends ResponseRef {
  /** `undefined` if only metadata of the run is stored. */
  readonly request: StoredRunRequest | undefined
  /** Fields of the request of the client. */
  readonly fields: EchoedFields
}

/**
 * Finds the run of a stored response. Rejects with `run_unknown` for responses that do not exist, were deleted or
 * belong to other principals.
 */
export async function findResponse(
  id: string,
  principal: string,
  runService: Pick<ResponseRuns, 'request'>,
): Promise<ResponseRun> {
  const ref = readResponseId(id)
  if (ref === undefined) throw responseUnknown(id)
  const request = await runService.request(ref.runId, principal)
  if (request?.note?.[DELETED] === true || (request !== undefined && request.sessionId !== ref.sessionId))
    throw responseUnknown(id)
  return { ...ref, request, fields: echoedFieldsOf(request?.note) }
}

/** Returns true if the responses of a run were deleted. */
export async function isDeletedResponse(
  { runId }: Pick<ResponseRef, 'runId'>,
  principal: string,
  runService: Pick<ResponseRuns, 'request'>,
): Promise<boolean> {
  try {
    return (await runService.request(runId, principal))?.note?.[DELETED] === true
  } catch (thrown) {
    // a run that is not stored
    if (toFailure(thrown).code === 'run_unknown') return false
    throw thrown
  }
}

function responseUnknown(id: string): Error {
  return troupeError('run_unknown', `There is no response ${id.slice(0, 200)}.`)
}

/** Field of a note that marks the responses of a run as deleted. */
const DELETED = 'responseDeleted'

/** Note that marks the responses of a run as deleted. */
export const DELETED_NOTE: JsonObject = { [DELETED]: true }

/** A stored response in the current state of its run. */
export interface StoredResponse {
  readonly base: ResponseBase
  /** The content of a response that has one. */
  readonly state: ResponseContent | Exclude<ResponseState, { readonly output: unknown }>
}

/** Reads a response. Rejects like {@link findResponse}. */
export async function readResponse(
  id: string,
  principal: string,
  runService: ResponseRuns,
): Promise<StoredResponse> {
  const { runId, sessionId, fields } = await findResponse(id, principal, runService)
  const view = await runService.view(runId, principal)
  if (view.sessionId !== sessionId) throw responseUnknown(id)
  return {
    base: {
      id,
      createdAt: Math.floor(view.startedAt / 1000),
      request: { model: view.agent, ...fields },
    },
    state: view.state === 'waiting' ? await waitingState(view, runService) : stateOf(view),
  }
}

/** Returns true for a response that still changes. */
export function isOpenResponse({ status }: Pick<StoredResponse['state'], 'status'>): boolean {
  return status === 'queued' || status === 'in_progress'
}

/** Returns the state of a response as its object shows it. */
export function shownState({ base, state }: StoredResponse): ResponseState {
  return 'usage' in state ? endState(base, state) : state
}

/** A run that waits for its client has answered with calls. */
async function waitingState(
  { runId, usage }: RunView,
  { events }: Pick<ResponseRuns, 'events'>,
): Promise<StoredResponse['state']> {
  const calls = openRequests(await events(runId)).filter(({ client }) => client === true)
  return calls.length === 0 || usage === undefined
    ? { status: 'in_progress' }
    : { status: 'completed', text: '', usage, calls: calls.map(toClientCall) }
}

function stateOf({ state, output, usage, error }: RunView): StoredResponse['state'] {
  if (state === 'queued' || state === 'cancelled') return { status: state }
  if (state === 'running' || state === 'waiting' || state === 'interrupted') return { status: 'in_progress' }
  if (isRefused({ error }) && usage !== undefined)
    return { status: 'incomplete', isFiltered: true, text: output?.text ?? '', usage }
  if ((state === 'completed' || state === 'partial') && usage !== undefined)
    return {
      status: state === 'partial' ? 'incomplete' : 'completed',
      text: output?.text ?? '',
      citations: output?.citations,
      usage,
    }
  return {
    status: 'failed',
    reason: error ?? failure('internal', `The run ended with the outcome ${state}.`),
  }
}

/** Fields of a request that its response repeats. They are stored with the run. */
const ECHOED = [
  'instructions',
  'metadata',
  'previous_response_id',
  'conversation',
  'text',
  'background',
  'reasoning',
] as const

type EchoedFields = Pick<ResponseBase['request'], (typeof ECHOED)[number]>

/**
 * Returns the note to store with a run, so that its response can be retrieved later; `undefined` if nothing
 * has to be stored.
 */
export function noteOf(request: EchoedFields): JsonObject | undefined {
  const fields = ECHOED.flatMap((key): [string, Json][] => {
    const value = request[key]
    // Parsed from JSON.
    return value === undefined || value === null ? [] : [[key, value as Json]]
  })
  return fields.length === 0 ? undefined : { response: Object.fromEntries(fields) }
}

/** Returns the request fields in the note of a run. */
function echoedFieldsOf(note: JsonObject | undefined): EchoedFields {
  // Written by this headend.
  const stored = note?.['response']
  return isJsonObject(stored) ? stored : {}
}
