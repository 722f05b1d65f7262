import {
  inputRequired,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { failure, type RunListener, type RunOptions, type RunEvent } from '@troupe/schema'
import { eventText, plainText } from '@troupe/timeline'
import { formAnswers, createOpenForms, createPerson, type OpenForms } from '../human-input/forms.ts'

/**
 * A call whose run outlives a single request. Each round ends with the result or with a request for input.
 */
export interface RunningCall {
  /** Approver and prompter backed by the client. */
  readonly person: Required<Pick<RunOptions, 'approve' | 'ask'>>
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal
  /** Reports events as progress to the client of the current round. */
  readonly onEvent: RunListener
  /** Last progress text; empty if there is none. */
  readonly lastProgressText: string
  /** Runs one round of the call for a request. */
  round(context: ServerContext, parts: Round): Promise<CallToolResult | InputRequiredResult>
  /** Cancels the call. */
  cancel(): void
}

/** Options of a round. */
interface Round {
  readonly result: Promise<CallToolResult>
  /** Returns a new `requestState` for the client's next request. */
  nextState(): string
  /** Ends the round if the result takes too long. The run continues, even if the client disconnects. */
  readonly meanwhile?: Promise<CallToolResult>
}

/** Creates a call for the request that starts it. Without a request it runs in the background. */
export function createRunningCall(first?: ServerContext): RunningCall {
  const questions = createOpenForms()
  const stop = new AbortController()
  let progress = first === undefined ? undefined : reportProgress(first)
  let log = first === undefined ? undefined : reportLog(first)
  let lastProgress = 0
  let lastProgressText = ''
  const cancel = (): void => stop.abort(failure('run_cancelled', 'The client cancelled the call.'))
  return {
    person: createPerson(questions),
    signal: stop.signal,
    get lastProgressText() {
      return lastProgressText
    },
    onEvent: (event) => {
      lastProgressText = progressText(event) ?? lastProgressText
      progress?.onEvent(event)
      log?.(event)
    },
    cancel,
    async round(context, { result, nextState, meanwhile }) {
      if (context !== first) {
        progress = reportProgress(context, lastProgress)
        log = reportLog(context)
      }
      const stopWatching =
        meanwhile === undefined ? cancelWithRequest(context, { cancel, over: result }) : NOTHING
      questions.answer(formAnswers(context))
      const ways = [result, questions.waitForForm(), ...(meanwhile === undefined ? [] : [meanwhile])]
      try {
        const ended = await Promise.race(ways)
        return ended ?? createInputRequest(questions, nextState())
      } finally {
        lastProgress = progress?.end() ?? lastProgress
        stopWatching()
      }
    },
  }
}

const NOTHING = (): void => undefined

/**
 * Cancels the call when its request is cancelled. In the older protocol one request lasts for the whole call,
 * so the listener stays until the call ends. In the newer one each round has its own request, and the
 * listener is removed after the round.
 */
function cancelWithRequest(
  { mcpReq: { signal, envelope } }: ServerContext,
  { cancel, over }: { cancel(): void; readonly over: Promise<unknown> },
): () => void {
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel, { once: true })
  const stopWatching = (): void => signal.removeEventListener('abort', cancel)
  if (envelope !== undefined) return stopWatching
  void over.finally(stopWatching)
  return NOTHING
}

function createInputRequest({ forms }: OpenForms, requestState: string): InputRequiredResult {
  const requests = Array.from(forms, ([key, { message, schema }]) => [
    key,
    inputRequired.elicit({ message, requestedSchema: schema as never }),
  ])
  return inputRequired({ inputRequests: Object.fromEntries(requests) as never, requestState })
}

/** Minimum time between notifications for text deltas, in ms. */
const PIECES_EVERY = 1000

/** Progress notifications of one request. */
interface ProgressReport {
  readonly onEvent: RunListener
  /** Stops the notifications. Returns the last progress number. */
  end(): number
}

/**
 * Sends progress notifications to the client, numbered from `after`. Returns `undefined` if the request has
 * no progress token. Errors while sending are ignored, because a disconnect cancels the call.
 */
function reportProgress({ mcpReq }: Pick<ServerContext, 'mcpReq'>, after = 0): ProgressReport | undefined {
  const { _meta: meta } = mcpReq
  const progressToken = meta?.progressToken
  if (progressToken === undefined) return undefined
  let progress = after
  let isOver = false
  let lastPiece = -Infinity
  const isDue = (event: RunEvent): boolean => {
    if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') return true
    if (event.time - lastPiece < PIECES_EVERY) return false
    lastPiece = event.time
    return true
  }
  return {
    onEvent: (event) => {
      if (isOver || !isDue(event)) return
      const message = progressText(event)
      if (message === undefined) return
      progress += 1
      const params = { progressToken, progress, message }
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {
        // the client has disconnected, which cancels the call
      })
    },
    end: () => {
      isOver = true
      return progress
    },
  }
}

/**
 * Sends warnings and the log messages of tools to the client, from the level that it requests. Errors while sending
 * are ignored, because a disconnect cancels the call.
 */
function reportLog({ mcpReq }: Pick<ServerContext, 'mcpReq'>): RunListener {
  return (event) => {
    if (event.type !== 'log' && event.type !== 'warning') return
    const isWarning = event.type === 'warning'
    mcpReq
      .log(isWarning ? 'warning' : 'info', isWarning ? event.message : event.text, event.agent)
      .catch(() => {
        // the client has disconnected, which cancels the call
      })
  }
}

const LONGEST = 200

/** Formats an event as one line of progress; `undefined` if it is not shown. */
function progressText(event: RunEvent): string | undefined {
  const text = textOf(event)
  return text === undefined ? undefined : plainText(`${event.instance} ${text}`, { max: LONGEST })
}

function textOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'turn-start':
      return `calls its model, turn ${event.turn}`
    case 'tool-call':
      return `calls ${event.toolName}`
    case 'tool-result':
      return `got ${event.outcome === 'completed' ? 'the result' : `no result (${event.outcome})`} of ${event.toolName}`
    case 'text-delta':
    case 'reasoning-delta':
      return 'writes'
    case 'tool-progress':
    case 'model-retry':
    case 'model-fallback':
      return eventText(event)
    default:
      return undefined
  }
}

/** A call that waits for responses from its client. */
export interface PendingCall {
  /**
   * Identifies the tool, and the client if clients are distinguished. Responses with another key are
   * rejected.
   */
  readonly key: string
  readonly call: RunningCall
  readonly result: Promise<CallToolResult>
  /** Alternative result of a poll, if there is no answer in time. */
  readonly meanwhile?: Promise<CallToolResult>
}

/**
 * Result of a call, or a request for input. The client then retries with the responses and the given state.
 */
export type CallAnswer = CallToolResult | InputRequiredResult

/** Pending calls by `requestState`, which is unguessable. */
export interface PendingCalls {
  /** Runs one round of a call and returns its answer. */
  round(pending: PendingCall, context: ServerContext): Promise<CallAnswer>
  /**
   * Continues the call that the request has responses for; `undefined` if it has none. Throws a protocol
   * error if the state does not belong to `key`.
   */
  resume(key: string, context: ServerContext): Promise<CallAnswer> | undefined
  /** Cancels all pending calls, and every later one. */
  close(): void
}

/** Maximum number of states. The call with the oldest one is cancelled. */
const MAX_STATES = 1000

/** Creates an empty registry. A state remains valid until its call ends, because a response may be lost. */
export function createPendingCalls(newState: () => string): PendingCalls {
  const states = new Map<string, PendingCall>()
  let isClosed = false

  function forget({ call }: PendingCall): void {
    for (const [state, pending] of states) if (pending.call === call) states.delete(state)
  }

  function cancelPending(pending: PendingCall): void {
    forget(pending)
    pending.call.cancel()
  }

  function addState(pending: PendingCall): string {
    const state = newState()
    const isNew = !Array.from(states.values()).some(({ call }) => call === pending.call)
    states.set(state, pending)
    if (isClosed) cancelPending(pending)
    if (isNew) void pending.result.finally(() => forget(pending))
    const [oldest] = states.values()
    if (states.size > MAX_STATES && oldest !== undefined) cancelPending(oldest)
    return state
  }

  function round(pending: PendingCall, context: ServerContext): Promise<CallAnswer> {
    const { call, result, meanwhile } = pending
    return call.round(context, {
      result,
      nextState: () => addState(pending),
      ...(meanwhile === undefined ? {} : { meanwhile }),
    })
  }

  return {
    round,
    resume(key, context) {
      const state: unknown = context.mcpReq.requestState()
      if (state === undefined) return undefined
      const found = typeof state === 'string' ? states.get(state) : undefined
      if (found?.key === key) return round(found, context)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'requestState: no call to this tool is waiting for answers with this state.',
      )
    },
    close() {
      isClosed = true
      for (const pending of new Set(states.values())) cancelPending(pending)
    },
  }
}
