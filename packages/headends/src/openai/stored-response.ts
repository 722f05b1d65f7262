import {
  failure,
  troupeError,
  isJsonObject,
  type Json,
  type JsonObject,
  type Failure,
  type UsageReport,
} from '@troupe/schema'
import type { ClientCall } from '../client-calls/collect-answer.ts'
import { offeredName } from '../client-calls/client-tools.ts'
import { statusOf } from '../headend/errors.ts'
import type { RunService } from '../run-service/run-service.ts'
import type { RunView } from '../run-service/run-view.ts'
import { responsesTools, type ResponsesRequest } from './responses-request.ts'

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
  const base = { id, createdAt: Math.floor(view.startedAt / 1000), request }
  return responseObject(base, endOf(view))
}

function endOf({ state, output, usage, error }: RunView): ResponseState {
  if (OPEN_STATES.has(state)) return { status: 'in_progress' }
  if ((state === 'completed' || state === 'partial') && usage !== undefined)
    return { status: state === 'partial' ? 'incomplete' : 'completed', text: output?.text ?? '', usage }
  return {
    status: 'failed',
    reason: error ?? failure('internal', `The run ended with the outcome ${state}.`),
  }
}

const OPEN_STATES: ReadonlySet<RunView['state']> = new Set(['queued', 'running', 'waiting', 'interrupted'])

/** The run and the session that a response id names. */
interface ResponseRef {
  readonly runId: string
  readonly sessionId: string
}

const PREFIX = 'run_'
const RESPONSE_ID = /^resp_([\w-]{1,100})\.([\w-]{1,100})(?:\.([\w-]{1,100}))?$/u

/**
 * Creates a response id. A session has the id of its first run. `answer` distinguishes the answers of one run,
 * of which each but the first continues the run with results of its client.
 */
export function responseId({ runId, sessionId }: ResponseRef, answer?: string): string {
  const id = `resp_${sessionId.slice(PREFIX.length)}.${runId.slice(PREFIX.length)}`
  return answer === undefined ? id : `${id}.${answer.slice(PREFIX.length)}`
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

/** The fields of a response that are known before its content. */
export interface ResponseBase {
  readonly id: string
  /** In seconds since 1970. */
  readonly createdAt: number
  readonly request: Pick<
    ResponsesRequest,
    | 'model'
    | 'instructions'
    | 'previous_response_id'
    | 'store'
    | 'metadata'
    | 'text'
    | 'tools'
    | 'tool_choice'
    | 'parallel_tool_calls'
  >
}

/** The state of a response. */
export type ResponseState =
  | { readonly status: 'in_progress' }
  | {
      readonly status: 'completed' | 'incomplete'
      readonly text: string
      readonly usage: UsageReport
      /** Calls for the client. */
      readonly calls?: readonly ClientCall[]
    }
  | { readonly status: 'failed'; readonly reason: Failure }

/**
 * Creates a response in OpenAI's format. It lists the tools of the client but not those of the agent, because
 * clients cannot call them.
 */
export function responseObject(base: ResponseBase, end: ResponseState): Readonly<Record<string, unknown>> {
  const { id, createdAt, request } = base
  return {
    id,
    object: 'response',
    created_at: createdAt,
    status: end.status,
    background: false,
    error: end.status === 'failed' ? errorOf(end.reason) : null,
    incomplete_details: end.status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: request.instructions ?? null,
    max_output_tokens: null,
    metadata: request.metadata ?? {},
    model: request.model,
    output: 'text' in end ? outputOf(base, end) : [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    reasoning: { effort: null, summary: null },
    service_tier: 'default',
    store: request.store ?? true,
    temperature: 1,
    text: { format: request.text?.format ?? { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_p: 1,
    truncation: 'disabled',
    usage: 'usage' in end ? usageOf(end.usage) : null,
  }
}

function outputOf(
  base: ResponseBase,
  { calls = [], ...message }: Extract<ResponseState, { readonly text: string }>,
): readonly object[] {
  const items = calls.map((call) => callItem(base, call))
  return message.text === '' && calls.length > 0 ? items : [messageItem(base.id, message), ...items]
}

/** Creates the item of a call for the client. A tool of a namespace has the name that it has there. */
export function callItem(
  { request }: Pick<ResponseBase, 'request'>,
  { id, name, args }: ClientCall,
  { isStarted = false }: { readonly isStarted?: boolean } = {},
): Readonly<Record<string, unknown>> & { readonly id: string } {
  const requested = responsesTools({ ...request, tool_choice: undefined })
  const tools = 'tools' in requested ? requested.tools : []
  const tool = tools.find((candidate) => offeredName(candidate) === name)
  return {
    id: `fc_${id.slice('call_'.length)}`,
    type: 'function_call',
    status: isStarted ? 'in_progress' : 'completed',
    call_id: id,
    name: tool?.name ?? name,
    ...(tool?.namespace === undefined ? {} : { namespace: tool.namespace }),
    arguments: isStarted ? '' : JSON.stringify(args),
  }
}

/** Creates the item of the text. */
export function messageItem(
  responseId: string,
  { status, text }: { readonly status: 'in_progress' | 'completed' | 'incomplete'; readonly text?: string },
): Readonly<Record<string, unknown>> {
  return {
    id: `msg_${responseId.slice('resp_'.length)}`,
    type: 'message',
    role: 'assistant',
    status,
    content: text === undefined ? [] : [textPart(text)],
  }
}

/** Creates the single part of the item's content. */
export function textPart(text: string): Readonly<Record<string, unknown>> {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

function errorOf(reason: Failure): Readonly<Record<string, unknown>> {
  const code = statusOf(reason) === 429 ? 'rate_limit_exceeded' : 'server_error'
  return { code, message: `${reason.message} ${reason.remediation}` }
}

function usageOf(usage: UsageReport): Readonly<Record<string, unknown>> {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  }
}
