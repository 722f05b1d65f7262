import {
  failure,
  type AgentDefinition,
  type Failure,
  type RunEvent,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import { conversationOptions, type ClientConversation } from '../client-runs/client-conversation.ts'
import {
  connectRun,
  MAX_CLIENT_WAIT_MS,
  MAX_CLIENT_WAITS,
  traceOptions,
} from '../client-runs/run-for-caller.ts'
import type { Caller, HeadendContext } from '../headend/headend.ts'
import { createRunQuestions, type OpenQuestion } from './run-questions.ts'

/** A listener to a run for the duration of one request. */
export interface RunWatcher {
  event(event: RunEvent): void
  /**
   * Called when the run waits for a person, or without questions if it waits for its client. This request ends,
   * and another one brings the answers.
   */
  pause(questions: readonly OpenQuestion[]): void
  end(last: RunReport | Failure): void
}

/**
 * A run that outlives the request in which it asks a person. It waits in memory for a request with the
 * answers.
 */
export interface HeldRun {
  isOver(): boolean
  /** Returns the open questions, the oldest first. */
  questions(): readonly OpenQuestion[]
  find(questionId: string): OpenQuestion | undefined
  /**
   * Passes events to the watcher, from where the previous one stopped, until the run ends or asks. Cancels
   * the run if the client disconnects before that. One request at a time.
   */
  watch(watcher: RunWatcher, request: Pick<Request, 'signal'>): void
  cancel(): void
}

/** The options of a run that its holder sets. */
export type HeldRunOptions = Required<
  Pick<RunOptions, 'approve' | 'ask' | 'onEvent' | 'onSuspend' | 'signal'>
>

/** Starts a run that may ask a person. Its events are buffered until it is watched. */
export function startHeldRun(
  execute: (options: HeldRunOptions) => Promise<RunReport>,
  { runId, caller, context }: Omit<HeldRunContext, 'agent'> & { readonly runId: string },
): HeldRun {
  const stop = new AbortController()
  let buffered: RunEvent[] = []
  let last: RunReport | Failure | undefined
  let watcher: RunWatcher | undefined
  let unwatch: (() => void) | undefined
  let cancelTimer: (() => void) | undefined
  const cancel = (): void => {
    cancelTimer?.()
    stop.abort(failure('run_cancelled', 'The client did not continue the run.'))
  }

  const questions = createRunQuestions(() => {
    if (questions.list().length > 0) notifyQuestions()
  })

  /**
   * Passes on the open questions. Waits for a microtask, so that questions of the same moment are sent
   * together.
   */
  function notifyQuestions(): void {
    queueMicrotask(() => {
      const open = questions.list()
      if (open.length > 0 && last === undefined) detachWatcher()?.pause(open)
    })
  }

  function detachWatcher(): RunWatcher | undefined {
    const detached = watcher
    unwatch?.()
    watcher = undefined
    unwatch = undefined
    return detached
  }

  function receive(event: RunEvent): void {
    if (watcher !== undefined) watcher.event(event)
    // Deltas are dropped, because the whole text follows.
    else if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') buffered.push(event)
  }

  const { approve, ask } = questions
  const onSuspend = (): void => {
    cancelTimer = context.clock.after(MAX_CLIENT_WAIT_MS, cancel)
    detachWatcher()?.pause([])
  }
  void connectRun(
    (signal) => execute({ approve, ask, onEvent: receive, onSuspend, signal }),
    {
      request: stop,
      caller,
      runId,
    },
    context,
  ).then((end) => {
    last = end
    detachWatcher()?.end(end)
  })

  return {
    isOver: () => last !== undefined,
    questions: questions.list,
    find: questions.find,
    watch(next, { signal }) {
      cancelTimer?.()
      const backlog = buffered
      buffered = []
      for (const event of backlog) next.event(event)
      if (last !== undefined) return next.end(last)
      watcher = next
      const onDisconnect = (): void => stop.abort(failure('run_cancelled', 'The client disconnected.'))
      signal.addEventListener('abort', onDisconnect, { once: true })
      unwatch = () => signal.removeEventListener('abort', onDisconnect)
      if (signal.aborted) onDisconnect()
      if (questions.list().length > 0) notifyQuestions()
      return undefined
    },
    cancel,
  }
}

/** Runs that wait for a request with answers, by conversation. */
export interface HeldRuns<T extends Pick<HeldRun, 'cancel'> = HeldRun> {
  /**
   * Stores the run until it is taken. Cancels the run that was stored under this key before. `clientOf` is the
   * principal of a run that waits for its client; beyond `MAX_CLIENT_WAITS` its oldest one is cancelled.
   */
  put(key: string, run: T, options?: { readonly clientOf?: string }): void
  /** Removes and returns the run; `undefined` if there is none. */
  take(key: string): T | undefined
  /** Cancels all runs, and every run that is stored from now on. */
  drain(): void
}

/** Maximum number of stored runs. The one that has waited longest is cancelled. */
const MAX_RUNS = 1000

/** Creates an empty store of held runs. */
export function createHeldRuns<T extends Pick<HeldRun, 'cancel'> = HeldRun>(): HeldRuns<T> {
  const held = new Map<string, { readonly run: T; readonly clientOf: string | undefined }>()
  let isDraining = false
  const cancelRun = (key: string): void => {
    held.get(key)?.run.cancel()
    held.delete(key)
  }
  const cancelOldest = (keys: readonly string[], max: number): void => {
    for (const key of keys.slice(0, Math.max(0, keys.length - max))) cancelRun(key)
  }
  return {
    put(key, run, { clientOf } = {}) {
      cancelRun(key)
      if (isDraining) return run.cancel()
      held.set(key, { run, clientOf })
      if (clientOf !== undefined)
        cancelOldest(
          [...held].flatMap(([other, { clientOf: owner }]) => (owner === clientOf ? other : [])),
          MAX_CLIENT_WAITS,
        )
      cancelOldest([...held.keys()], MAX_RUNS)
      return undefined
    },
    take(key) {
      const taken = held.get(key)
      held.delete(key)
      return taken?.run
    },
    drain() {
      isDraining = true
      for (const key of held.keys()) cancelRun(key)
    },
  }
}

/** The agent, caller and context of a held run. */
export interface HeldRunContext {
  readonly agent: AgentDefinition
  readonly caller: Caller
  readonly context: HeadendContext
}

/** Starts a run that may ask a person, on the conversation that a client sends. */
export function startHeldConversation(
  conversation: ClientConversation,
  { agent, caller, context }: HeldRunContext,
  more: Pick<RunOptions, 'clientTools'> = {},
): HeldRun & { readonly runId: string } {
  const runId = context.newId('run')
  const { principal } = caller
  const options = {
    runId,
    principal,
    headless: false,
    ...traceOptions(caller),
    ...conversationOptions(conversation),
    ...more,
  }
  const execute = (own: HeldRunOptions): Promise<RunReport> =>
    context.runner.run(agent.name, conversation.input, { ...options, ...own })
  return { ...startHeldRun(execute, { runId, caller, context }), runId }
}
