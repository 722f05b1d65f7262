import { failure, type Failure } from '@troupe/schema'
import {
  refusedRun,
  type Ancestor,
  type Deadline,
  type RunControl,
  type RunRequest,
  type RunResult,
} from '@troupe/schema/ports'
import { createDeadline, GRACE_MS, type OwnedDeadline } from '../run/clock.ts'
import { reportChild, warnLateResult } from '../log/problems.ts'
import type { ConversationRun } from '../context/conversation.ts'
import { createCancellation, type Cancellation } from '../run/cancellation.ts'

/**
 * Levels beyond this number do not extend the grace period, so that a cancelled run ends within two seconds.
 */
const MAX_LEVELS = 3

/** A child run as its parent controls it. Ensures that a parent never waits for a child that does not end. */
interface WatchedChild extends RunControl {
  /**
   * Result of the child, or a failure if it was abandoned after its time and the grace period. Never rejects.
   */
  readonly end: Promise<RunResult>
  /** Attaches the run after it was started. */
  follow(running: Promise<RunResult>): void
}

/** The children of one run. */
export class Children {
  /** The agents from the root run to this one. All children of the run share the list. */
  readonly ancestry: readonly Ancestor[]
  /** Children that have not ended. The run waits for them before it ends. */
  readonly running: Set<WatchedChild> = new Set<WatchedChild>()

  constructor({ runId, agent, ancestry }: RunRequest) {
    this.ancestry = [...ancestry, { runId, name: agent.name, digest: agent.digest }]
  }
}

/** A run that can start children. */
export interface ParentRun extends ConversationRun {
  readonly children: Children
}

export function watchChild(run: ParentRun, request: RunRequest): WatchedChild {
  return new ChildWatch(run, request)
}

/**
 * A class to save memory: every waiting child has one. Its signal is only created if the executor needs it.
 */
class ChildWatch implements WatchedChild {
  readonly stop: Cancellation
  readonly account: RunControl['account']
  /** Parent of the child's own deadline. A pause of the child's deadline pauses this one too. */
  readonly deadline: Deadline
  readonly #run: ParentRun
  readonly #request: RunRequest
  readonly #limit: OwnedDeadline | undefined
  readonly end: Promise<RunResult>
  #signalStop: Cancellation | undefined
  #cancelGrace: (() => void) | undefined
  /** Removes the listener for the parent's cancellation. */
  #off: (() => void) | undefined
  #resolve: ((result: RunResult) => void) | undefined

  constructor(run: ParentRun, request: RunRequest) {
    const { remainingMs = Infinity } = request
    this.#run = run
    this.#request = request
    this.stop = run.cancellation
    this.account = run.account
    this.end = new Promise((resolve) => {
      this.#resolve = resolve
    })
    if (remainingMs < Infinity)
      this.#limit = createDeadline({
        ms: remainingMs + this.#graceMs,
        clock: run.root.clock,
        parent: run.deadline,
        onExpire: () => this.#settle(refusedRun(request, overdueFailure(request))),
      })
    this.deadline = this.#limit ?? run.deadline
  }

  get signal(): AbortSignal {
    this.#signalStop ??= createCancellation(this.stop)
    return this.#signalStop.signal
  }

  pauseWhileQueued(): () => void {
    return this.#limit?.pauseAlone() ?? doNothing
  }

  follow(running: Promise<RunResult>): void {
    this.#run.children.running.add(this)
    this.#off = this.stop.onCancel((why) => {
      this.#cancelGrace = this.#run.root.clock.after(this.#graceMs, () =>
        this.#settle(refusedRun(this.#request, why)),
      )
    })
    running.then(
      (result) => this.#settle(result),
      (thrown: unknown) => this.#settle(refusedRun(this.#request, startFailure(this.#request, thrown))),
    )
  }

  /** Each level gets more time than the one below, so that a child that hangs is abandoned by its parent. */
  get #graceMs(): number {
    const { depth, root } = this.#run
    return GRACE_MS * Math.min(MAX_LEVELS, Math.max(1, root.maxDepth - depth))
  }

  /** Settles with the first result. A later one only causes a warning. */
  #settle(result: RunResult): void {
    const resolve = this.#resolve
    if (resolve === undefined) {
      warnLateResult(this.#run, { name: this.#request.agent.name, callId: this.#request.site?.callId })
      return
    }
    this.#resolve = undefined
    reportChild(this.#run, this.#request, result)
    this.#run.children.running.delete(this)
    this.#off?.()
    this.#cancelGrace?.()
    this.#limit?.clear()
    this.#signalStop?.detach()
    resolve(result)
  }
}

function doNothing(): void {
  // a child without a time limit has nothing to pause
}

function overdueFailure({ agent, remainingMs = Infinity }: RunRequest): Failure {
  return failure(
    'child_timeout',
    `The agent ${agent.name} did not end within ${Math.round(remainingMs)} ms and was abandoned.`,
  )
}

function startFailure({ agent }: RunRequest, thrown: unknown): Failure {
  return failure('internal', `The agent ${agent.name} could not be started: ${String(thrown)}`)
}
