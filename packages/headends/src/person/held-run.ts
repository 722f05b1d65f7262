import { failure, type Failure, type RunEvent, type RunReport } from '@troupe/schema'
import type { Caller } from '../caller.ts'
import type { HeadendContext } from '../headend.ts'
import { runForCaller, type WantedRun } from '../run-for-caller.ts'
import { createOpenQuestions, type OpenQuestion } from './open-questions.ts'

/** Hears a run for one request. */
export interface RunWatcher {
  event(event: RunEvent): void
  /** The run asks a person: this request is over, and another one brings the answers. */
  rest(questions: readonly OpenQuestion[]): void
  end(last: RunReport | Failure): void
}

/** A run that outlives a request where it asks a person: it waits in memory for a request with the answers. */
export interface HeldRun {
  isOver(): boolean
  /** What it waits for, in the order in which it was asked. */
  questions(): readonly OpenQuestion[]
  find(questionId: string): OpenQuestion | undefined
  /**
   * Watches it for a request, from where the last one left off, to its end or to its next question. It is stopped when the client leaves
   * in between. One request at a time.
   */
  watch(watcher: RunWatcher, request: Pick<Request, 'signal'>): void
  cancel(): void
}

/** Begins a run that may ask. Nothing of it is heard before it is watched. */
export function startHeldRun(
  { agent, input, options }: WantedRun,
  caller: Caller,
  context: HeadendContext,
): HeldRun {
  const stop = new AbortController()
  let heard: RunEvent[] = []
  let last: RunReport | Failure | undefined
  let watcher: RunWatcher | undefined
  let unwatch: (() => void) | undefined

  const questions = createOpenQuestions(() => {
    if (questions.list().length > 0) tellRest()
  })

  /** Several questions of one moment are told together. */
  function tellRest(): void {
    queueMicrotask(() => {
      const open = questions.list()
      if (open.length > 0 && last === undefined) leave()?.rest(open)
    })
  }

  function leave(): RunWatcher | undefined {
    const left = watcher
    unwatch?.()
    watcher = undefined
    unwatch = undefined
    return left
  }

  function hear(event: RunEvent): void {
    if (watcher !== undefined) watcher.event(event)
    // a text comes once more as a whole
    else if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') heard.push(event)
  }

  void runForCaller(
    {
      agent,
      input,
      options: { ...options, headless: false, approve: questions.approve, ask: questions.ask, onEvent: hear },
    },
    { request: stop, caller },
    context,
  ).then((end) => {
    last = end
    leave()?.end(end)
  })

  return {
    isOver: () => last !== undefined,
    questions: questions.list,
    find: questions.find,
    watch(next, { signal }) {
      const missed = heard
      heard = []
      for (const event of missed) next.event(event)
      if (last !== undefined) return next.end(last)
      watcher = next
      const gone = (): void => stop.abort(failure('run_cancelled', 'The client left.'))
      signal.addEventListener('abort', gone, { once: true })
      unwatch = () => signal.removeEventListener('abort', gone)
      if (signal.aborted) gone()
      if (questions.list().length > 0) tellRest()
      return undefined
    },
    cancel: () => stop.abort(failure('run_cancelled', 'Nobody wants its answer any more.')),
  }
}
