import {
  failure,
  type ApprovalDecision,
  type ClientTools,
  type ClientTurn,
  type Failure,
  type JsonObject,
} from '@troupe/schema'
import {
  readInstructions,
  type ClientMessage,
  type ClientResult,
} from '../client-runs/client-conversation.ts'
import { isFailure } from '../headend/errors.ts'
import { readCallId, toCallId, type CallRef } from './call-id.ts'
import type { ClientDecisions, OpenRun } from './client-runs.ts'

/** A waiting run that a conversation continues, with the results of its calls. */
interface Continuation<Run> {
  readonly waiting: Run
  readonly results: ClientDecisions
}

/** Returns a run of the caller that waits for its client, or `undefined`. */
type FindRun<Run> = (runId: string) => Promise<Run | undefined>

/** The parts of a request that concern a waiting run. */
interface ContinuationRequest {
  readonly messages: readonly ClientMessage[]
  readonly clientTools: ClientTools | undefined
  /** True if the client requires an answer without calls. */
  readonly forbidsCalls: boolean
}

/**
 * Returns the run that waits for the results at the end of a conversation. Returns `undefined` if the
 * conversation starts a new run; a run whose calls the user left open is then cancelled. Returns a failure for
 * missing results, and for calls that do not wait for a result of this principal.
 */
export async function findContinuation<Run extends OpenRun>(
  request: ContinuationRequest,
  find: FindRun<Run>,
): Promise<Continuation<Run> | Failure | undefined> {
  const { messages } = request
  const end = messages.findLastIndex(({ role }) => role === 'assistant')
  const tail = messages.slice(end + 1)
  const said = tail.filter(({ role, result }) => role !== 'system' && result === undefined)
  const answered = tail.flatMap(({ result }) => refOf(result?.callId))
  const [ref] = answered
  if (ref === undefined) {
    await cancelOpenCalls(messages[end], find)
    return undefined
  }
  const waiting = await find(ref.runId)
  const problem = problemOf(answered, { waiting, messages })
  const isNewMessage = tail.some(({ role }) => role === 'user')
  if (problem !== undefined || waiting === undefined) {
    if (!isNewMessage) return problem
    await waiting?.cancel()
    return undefined
  }
  const turn = turnOf(request, waiting)
  if (isFailure(turn)) return turn
  const instructions = tail.some(({ role }) => role === 'system') ? readInstructions(messages) : undefined
  if (typeof instructions === 'object') return instructions
  return { waiting, results: toDecisions(waiting, { messages, turn, said, instructions }) }
}

/** Returns the first problem of the results for a run. */
function problemOf(
  answered: readonly CallRef[],
  {
    waiting,
    messages,
  }: { readonly waiting: OpenRun | undefined; readonly messages: readonly ClientMessage[] },
): Failure | undefined {
  const strange = answered.find(({ approvalId }) => waiting?.known.has(approvalId) !== true)
  if (waiting === undefined || strange !== undefined)
    return failure(
      'request_invalid',
      `messages: no call ${toCallId(strange ?? answered[0] ?? NO_CALL)} waits for a result.`,
      'Send a new user message.',
    )
  const results = resultsOf(messages)
  const missing = waiting.open.filter((approvalId) => !results.has(approvalId))
  if (missing.length === 0) return undefined
  const ids = missing.map((approvalId) => toCallId({ runId: waiting.runId, approvalId }))
  return failure(
    'request_invalid',
    `messages: the result of ${ids.join(', ')} is missing.`,
    'Send the results of all calls of the answer, or a new user message.',
  )
}

const NO_CALL: CallRef = { runId: '', approvalId: '' }

/** Returns what the client requires of the next answer, or a failure if the run cannot fulfil it. */
function turnOf(
  { clientTools, forbidsCalls }: ContinuationRequest,
  { tools }: OpenRun,
): ClientTurn | Failure {
  if (forbidsCalls)
    return failure(
      'request_invalid',
      'tool_choice: `none` is not possible in a request with results.',
      'Leave out `tool_choice`.',
    )
  const { choice, parallel } = clientTools ?? {}
  if (typeof choice === 'object' && !tools.some(({ name }) => name === choice.tool))
    return failure(
      'request_invalid',
      `tool_choice: ${choice.tool} was not among the tools when the user sent the message.`,
      'Leave out `tool_choice`.',
    )
  return { ...(choice === undefined ? {} : { choice }), ...(parallel === undefined ? {} : { parallel }) }
}

/** Converts the results of open calls to decisions. The last one has what the user and the client added. */
function toDecisions(
  { open }: OpenRun,
  {
    messages,
    turn,
    said,
    instructions,
  }: {
    readonly messages: readonly ClientMessage[]
    readonly turn: ClientTurn
    readonly said: readonly ClientMessage[]
    readonly instructions: string | undefined
  },
): ClientDecisions {
  const results = resultsOf(messages)
  const message = said.flatMap(({ text }) => (text === '' ? [] : text)).join('\n\n')
  const attachments = said.flatMap(({ attachments: files = [] }) => files)
  const isAdded = message !== '' || attachments.length > 0
  return new Map(
    open.flatMap((approvalId, index): readonly (readonly [string, ApprovalDecision])[] => {
      const result = results.get(approvalId)
      if (result === undefined) return []
      const isLast = index === open.length - 1
      const values: JsonObject = {
        content: result.content,
        ...(result.isError === true ? { isError: true } : {}),
        turn: { ...turn, ...(isLast && instructions !== undefined ? { instructions } : {}) },
        ...(isAdded && isLast ? { message, attachments: attachments.map((file) => ({ ...file })) } : {}),
      }
      return [[approvalId, { decision: 'approved', values }]]
    }),
  )
}

/** Returns the results of a conversation by approval id. Clients may send calls and results alternately. */
function resultsOf(messages: readonly ClientMessage[]): ReadonlyMap<string, ClientResult> {
  return new Map(
    messages.flatMap(({ result }) => refOf(result?.callId).map(({ approvalId }) => [approvalId, result])),
  ) as ReadonlyMap<string, ClientResult>
}

/** Cancels the run of the calls in the last answer, if it still waits. */
async function cancelOpenCalls(last: ClientMessage | undefined, find: FindRun<OpenRun>): Promise<void> {
  const [ref] = (last?.calls ?? []).flatMap(({ id }) => refOf(id))
  const waiting = ref === undefined ? undefined : await find(ref.runId)
  if (waiting !== undefined && waiting.open.length > 0) await waiting.cancel()
}

function refOf(id: string | undefined): readonly CallRef[] {
  const ref = id === undefined ? undefined : readCallId(id)
  return ref === undefined ? [] : [ref]
}
