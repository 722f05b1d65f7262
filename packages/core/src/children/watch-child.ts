import {
  failure,
  refusedRun,
  type Failure,
  type RunControl,
  type RunRequest,
  type RunResult,
} from '@troupe/schema'
import { createDeadline, type OwnedDeadline } from '../time/deadline.ts'
import { GRACE_MS } from './grace.ts'
import { reportChild } from '../session/problems.ts'
import { write, type Run } from '../session/run.ts'
import { createStop, type Stop } from '../time/stop.ts'

/** Deeper trees than this give their upper levels no more grace: a run that is stopped is silent within two seconds. */
const MOST_LEVELS = 3

/** A child as its parent holds it. Sees to it that a parent never waits for one that does not end (decision 5). */
export interface WatchedChild extends RunControl {
  /** The child's result, or that it was abandoned: its time or the parent's is over, and the grace as well. Never rejects. */
  readonly end: Promise<RunResult>
  /** The child runs. */
  follow(running: Promise<RunResult>): void
}

/** Starts the watch of a child that is about to run. */
export function watchChild(run: Run, request: RunRequest): WatchedChild {
  return new ChildWatch(run, request)
}

/** A class, as every child that waits has one; its signal is only made for an executor that needs one. */
class ChildWatch implements WatchedChild {
  readonly stop: Stop
  readonly account: RunControl['account']
  /** The clock that the child's own stands under: a pause below reaches it. */
  readonly deadline: RunControl['deadline']
  readonly #run: Run
  readonly #request: RunRequest
  readonly #limit: OwnedDeadline | undefined
  readonly end: Promise<RunResult>
  #signalStop: Stop | undefined
  #cancelGrace: (() => void) | undefined
  /** What was told to listen for the parent's stop; undefined once the child is over. */
  #off: (() => void) | undefined
  #resolve: ((result: RunResult) => void) | undefined

  constructor(run: Run, request: RunRequest) {
    const { remainingMs = Infinity } = request
    this.#run = run
    this.#request = request
    this.stop = run.stop
    this.account = run.account
    this.end = new Promise((resolve) => {
      this.#resolve = resolve
    })
    if (remainingMs < Infinity)
      this.#limit = createDeadline({
        ms: remainingMs + this.#graceMs,
        clock: run.root.clock,
        above: run.deadline,
        onExpire: () => this.#settle(refusedRun(request, overdue(request))),
      })
    this.deadline = this.#limit ?? run.deadline
  }

  get signal(): AbortSignal {
    this.#signalStop ??= createStop(this.stop)
    return this.#signalStop.signal
  }

  follow(running: Promise<RunResult>): void {
    ;(this.#run.children ??= new Set()).add(this)
    this.#off = this.stop.onStop((why) => {
      this.#cancelGrace = this.#run.root.clock.after(this.#graceMs, () =>
        this.#settle(refusedRun(this.#request, why)),
      )
    })
    running.then(
      (result) => this.#settle(result),
      (thrown: unknown) => this.#settle(refusedRun(this.#request, notStarted(this.#request, thrown))),
    )
  }

  /** Each level gets more grace than the one below it, so that the one that hangs is abandoned by its own parent. */
  get #graceMs(): number {
    const { depth, root } = this.#run
    return GRACE_MS * Math.min(MOST_LEVELS, Math.max(1, root.maxDepth - depth))
  }

  /** The first end is that of the child; what comes after it is recorded and delivered to nobody. */
  #settle(result: RunResult): void {
    const resolve = this.#resolve
    if (resolve === undefined) {
      recordLate(this.#run, { name: this.#request.agent.name, callId: this.#request.site?.callId })
      return
    }
    this.#resolve = undefined
    reportChild(this.#run, this.#request, result)
    this.#run.children?.delete(this)
    this.#off?.()
    this.#cancelGrace?.()
    this.#limit?.clear()
    this.#signalStop?.detach()
    resolve(result)
  }
}

function overdue({ agent, remainingMs = Infinity }: RunRequest): Failure {
  return failure(
    'child_timeout',
    `The agent ${agent.name} did not end within ${Math.round(remainingMs)} ms and was abandoned.`,
  )
}

function notStarted({ agent }: RunRequest, thrown: unknown): Failure {
  return failure('internal', `The agent ${agent.name} could not be started: ${String(thrown)}`)
}

/** What comes after the deadline is recorded and delivered to nobody. */
export function recordLate(
  run: Run,
  { name, callId }: { readonly name: string; readonly callId: string | undefined },
): void {
  if (run.isOver) return
  write(
    run,
    'warning',
    { code: 'late_result', message: `${name} ended after it was abandoned; its result is not used.` },
    { callId },
  )
}
