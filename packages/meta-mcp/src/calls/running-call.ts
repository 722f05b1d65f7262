import {
  inputRequired,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { failure, type RunListener, type RunOptions } from '@troupe/schema'
import { formAnswers } from '../human-input/client-forms.ts'
import { createOpenForms, createPerson, type OpenForms } from '../human-input/open-forms.ts'
import { progressText, reportProgress } from './report-progress.ts'

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
export interface Round {
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
    },
    cancel,
    async round(context, { result, nextState, meanwhile }) {
      if (context !== first) progress = reportProgress(context, lastProgress)
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
