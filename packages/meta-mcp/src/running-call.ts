import {
  inputRequired,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { failure, type RunListener } from '@troupe/schema'
import { formAnswers } from './person/input-responses.ts'
import { createOpenQuestions, type OpenQuestions } from './person/open-questions.ts'
import { reportProgress } from './report-progress.ts'

/** A call whose run goes on while its client comes and goes: a round ends with the result, or with what a person is asked. */
export interface RunningCall {
  readonly questions: OpenQuestions
  /** Aborts when its client gives it up. */
  readonly signal: AbortSignal
  /** Tells the client of the round at hand how far the run is. */
  readonly onEvent: RunListener
  /** One round of the call, for the request that asks for it. Each `requestState` is made by `nextState`. */
  round(
    context: ServerContext,
    parts: { readonly result: Promise<CallToolResult>; nextState(): string },
  ): Promise<CallToolResult | InputRequiredResult>
  /** Ends it. */
  cancel(): void
}

/** A call that is about to begin, for the request that makes it. */
export function createRunningCall(first: ServerContext): RunningCall {
  const questions = createOpenQuestions()
  const stop = new AbortController()
  let progress = reportProgress(first)
  let told = 0
  const cancel = (): void => stop.abort(failure('run_cancelled', 'The client cancelled the call.'))
  return {
    questions,
    signal: stop.signal,
    onEvent: (event) => progress?.onEvent(event),
    cancel,
    async round(context, { result, nextState }) {
      if (context !== first) progress = reportProgress(context, told)
      const leave = watch(context, { cancel, over: result })
      questions.answer(formAnswers(context))
      try {
        const ended = await Promise.race([result, questions.opened()])
        return ended ?? whatIsAsked(questions, nextState())
      } finally {
        told = progress?.end() ?? told
        leave()
      }
    },
  }
}

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
  return () => undefined
}

function whatIsAsked({ forms }: OpenQuestions, requestState: string): InputRequiredResult {
  const requests = Array.from(forms, ([key, { message, schema }]) => [
    key,
    inputRequired.elicit({ message, requestedSchema: schema as never }),
  ])
  return inputRequired({ inputRequests: Object.fromEntries(requests) as never, requestState })
}
