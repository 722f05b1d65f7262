import {
  inputRequired,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { failure, type RunListener, type RunOptions } from '@troupe/schema'
import { formAnswers } from './person/input-responses.ts'
import { createOpenQuestions, type OpenQuestions } from './person/open-questions.ts'
import { personOf } from './person/person-of.ts'
import { progressText } from './progress-text.ts'
import { reportProgress } from './report-progress.ts'

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
  readonly lastWords: string
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
  const questions = createOpenQuestions()
  const stop = new AbortController()
  let progress = first === undefined ? undefined : reportProgress(first)
  let told = 0
  let lastWords = ''
  const cancel = (): void => stop.abort(failure('run_cancelled', 'The client cancelled the call.'))
  return {
    person: personOf(questions),
    signal: stop.signal,
    get lastWords() {
      return lastWords
    },
    onEvent: (event) => {
      lastWords = progressText(event) ?? lastWords
      progress?.onEvent(event)
    },
    cancel,
    async round(context, { result, nextState, meanwhile }) {
      if (context !== first) progress = reportProgress(context, told)
      const leave = meanwhile === undefined ? watch(context, { cancel, over: result }) : NOTHING
      questions.answer(formAnswers(context))
      const ways = [result, questions.opened(), ...(meanwhile === undefined ? [] : [meanwhile])]
      try {
        const ended = await Promise.race(ways)
        return ended ?? whatIsAsked(questions, nextState())
      } finally {
        told = progress?.end() ?? told
        leave()
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
function watch(
  { mcpReq: { signal, envelope } }: ServerContext,
  { cancel, over }: { cancel(): void; readonly over: Promise<unknown> },
): () => void {
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel, { once: true })
  const leave = (): void => signal.removeEventListener('abort', cancel)
  if (envelope !== undefined) return leave
  void over.finally(leave)
  return NOTHING
}

function whatIsAsked({ forms }: OpenQuestions, requestState: string): InputRequiredResult {
  const requests = Array.from(forms, ([key, { message, schema }]) => [
    key,
    inputRequired.elicit({ message, requestedSchema: schema as never }),
  ])
  return inputRequired({ inputRequests: Object.fromEntries(requests) as never, requestState })
}
