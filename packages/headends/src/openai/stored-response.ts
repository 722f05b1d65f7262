import { failure, troupeError, isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { RunService } from '../run-service/run-service.ts'
import type { RunView } from '../run-service/run-view.ts'
import { responseObject, type ResponseState, type ResponseHead } from './response-object.ts'

/**
 * Returns a stored response in the current state of its run. Rejects with `run_unknown`, also for responses
 * of other principals.
 */
export async function storedResponse(
  id: string,
  {
    principal,
    runService,
  }: { readonly principal: string; readonly runService: Pick<RunService, 'view' | 'note'> },
): Promise<Readonly<Record<string, unknown>>> {
  const ref = readResponseId(id)
  if (ref === undefined) throw troupeError('run_unknown', `There is no response ${id.slice(0, 200)}.`)
  const view = await runService.view(ref.runId, principal)
  if (view.sessionId !== ref.sessionId)
    throw troupeError('run_unknown', `There is no response ${id.slice(0, 200)}.`)
  const request = { model: view.agent, ...echoedFieldsOf(await runService.note(ref.runId, principal)) }
  const head = { id, createdAt: Math.floor(view.startedAt / 1000), request }
  return responseObject(head, endOf(view))
}

function endOf({ state, output, usage, error }: RunView): ResponseState {
  if (OPEN.has(state)) return { status: 'in_progress' }
  if ((state === 'completed' || state === 'partial') && usage !== undefined)
    return { status: state === 'partial' ? 'incomplete' : 'completed', text: output?.text ?? '', usage }
  return {
    status: 'failed',
    reason: error ?? failure('internal', `The run ended with the outcome ${state}.`),
  }
}

const OPEN: ReadonlySet<RunView['state']> = new Set(['queued', 'running', 'waiting', 'interrupted'])

/** The run and the session that a response id names. */
export interface ResponseRef {
  readonly runId: string
  readonly sessionId: string
}

const PREFIX = 'run_'
const RESPONSE_ID = /^resp_([\w-]{1,100})\.([\w-]{1,100})$/u

/** Creates a response id. A session has the id of its first run. */
export function responseId({ runId, sessionId }: ResponseRef): string {
  return `resp_${sessionId.slice(PREFIX.length)}.${runId.slice(PREFIX.length)}`
}

/**
 * Creates the id of a response that its client does not want stored. It names no session, so the response can
 * be neither retrieved nor continued.
 */
export function unstoredResponseId(runId: string): string {
  return `resp_${runId.slice(PREFIX.length)}`
}

/** Parses a response id. Returns `undefined` if it is not one of Troupe's. */
export function readResponseId(id: string): ResponseRef | undefined {
  const [, session, run] = RESPONSE_ID.exec(id) ?? []
  if (session === undefined || run === undefined) return undefined
  return { runId: `${PREFIX}${run}`, sessionId: `${PREFIX}${session}` }
}

/** Fields of a request that its response repeats. They are stored with the run. */
const ECHOED = ['instructions', 'metadata', 'previous_response_id', 'text'] as const

type EchoedFields = Pick<ResponseHead['request'], (typeof ECHOED)[number]>

/**
 * Returns the note to store with a run, so that its response can be retrieved later; `undefined` if nothing
 * has to be stored.
 */
export function noteOf(request: EchoedFields): JsonObject | undefined {
  const given = ECHOED.flatMap((key): [string, Json][] => {
    const value = request[key]
    // Parsed from JSON.
    return value === undefined || value === null ? [] : [[key, value as Json]]
  })
  return given.length === 0 ? undefined : { response: Object.fromEntries(given) }
}

/** Returns the request fields in the note of a run. */
export function echoedFieldsOf(note: JsonObject | undefined): EchoedFields {
  // Written by this headend.
  const stored = note?.['response']
  return isJsonObject(stored) ? stored : {}
}
