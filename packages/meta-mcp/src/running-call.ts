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

/** A call whose run goes on while its client comes and goes: a round ends with the result, or with what a person is asked. */
export interface RunningCall {
  /** Whoever is at the other end. */
  readonly person: Required<Pick<RunOptions, 'approve' | 'ask'>>
  /** Aborts when its client gives it up. */
  readonly signal: AbortSignal
  /** Tells the client of the round at hand how far the run is. */
  readonly onEvent: RunListener
  /** What was last told of the run; empty: nothing. */
  readonly lastWords: string
  /** One round of the call, for the request that asks for it. */
  round(context: ServerContext, parts: Round): Promise<CallToolResult | InputRequiredResult>
  /** Ends it. */
  cancel(): void
}

/** What a round is made of. */
export interface Round {
  readonly result: Promise<CallToolResult>
  /** A new `requestState` for a client that must come back. */
  nextState(): string
  /** Answers in place of a result that takes too long: the run goes on, also when the client of the round leaves. */
  readonly meanwhile?: Promise<CallToolResult>
}

/** A call that is about to begin, for the request that makes it and waits for it; none: it begins in the background. */
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
 * Gives the call up with its request. In the older era one request lasts until the call is over, and is cancelled between two rounds too; in the
 * other each round has its own, and one that was answered says nothing any more.
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
