import type { RunHost } from '@troupe/headends'
import type { Host } from '@troupe/host'
import { troupeError, type Budget, type RunOptions, type RunReport } from '@troupe/schema'
import { DEFAULT_PRIORITY } from '@troupe/schema/ports'
import { runForPublic, type OnHiddenFailure } from '@troupe/schema/public'
import { LOCAL } from '../gate/principals.ts'
import type { SpendingLimits } from './spending.ts'

/** Limits on active and queued runs. */
export interface AdmissionLimits {
  readonly maxRuns: number
  readonly maxQueue: number
}

/** Admission of runs. */
export interface RunAdmission {
  /**
   * Resolves when the run may start, with a function to call when it has ended. Queued runs start in the order
   * of their priorities, then of their calls. Rejects with `server_busy` if the queue is full, unless the run is
   * `resumed` and so was admitted before. Rejects with `server_busy` if the server is shutting down.
   */
  enter(
    signal: AbortSignal | undefined,
    options?: { readonly resumed?: boolean; readonly priority?: number | undefined },
  ): Promise<() => void>
  /** Throws the `server_busy` of `enter` for a run that is not resumed. */
  requireSpace(): void
  readonly running: number
  readonly waiting: number
  /** Rejects the queued runs and all later ones. */
  close(): void
  /** Resolves when no run is active. */
  idle(): Promise<void>
}

interface WaitingRun {
  readonly priority: number
  readonly begin: () => void
  readonly refuse: (reason: Error) => void
}

/** Creates an admission with a limited number of active runs and a limited queue. */
export function createAdmission({ maxRuns, maxQueue }: AdmissionLimits): RunAdmission {
  const queue = new Set<WaitingRun>()
  const idle = new Set<() => void>()
  let running = 0
  let isClosed = false
  const release = (): void => {
    running -= 1
    const next = firstOf(queue)
    // Runs that were cancelled while they were queued may exceed the limit, and free no slot.
    if (next !== undefined && running < maxRuns) {
      queue.delete(next)
      next.begin()
    }
    if (running > 0) return
    for (const notify of idle) notify()
    idle.clear()
  }
  const begin = (): (() => void) => {
    running += 1
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      release()
    }
  }
  const requireSpace = (): void => {
    if (isClosed) throw ending()
    if (running >= maxRuns && queue.size >= maxQueue)
      throw troupeError('server_busy', `${running} runs are active and ${queue.size} are queued.`)
  }
  return {
    requireSpace,
    get running() {
      return running
    },
    get waiting() {
      return queue.size
    },
    async enter(signal, { resumed = false, priority = DEFAULT_PRIORITY } = {}) {
      // A run that is already cancelled only persists its end.
      if (signal?.aborted === true) return begin()
      if (isClosed) throw ending()
      if (!resumed) requireSpace()
      if (running < maxRuns) return begin()
      return new Promise((resolve, reject) => {
        const entry = { priority, begin: () => resolve(begin()), refuse: reject }
        queue.add(entry)
        // A cancelled run leaves the queue and starts, to report its own cancellation.
        const onAbort = (): void => {
          if (queue.delete(entry)) entry.begin()
        }
        signal?.addEventListener('abort', onAbort, { once: true })
      })
    },
    close() {
      isClosed = true
      for (const { refuse } of queue) refuse(ending())
      queue.clear()
    },
    idle: async () => {
      if (running > 0) await new Promise<void>((resolve) => idle.add(resolve))
    },
  }
}

/** Returns the queued run that starts next; `undefined` if none is queued. */
function firstOf(queue: Iterable<WaitingRun>): WaitingRun | undefined {
  let first: WaitingRun | undefined
  for (const run of queue) if (first === undefined || run.priority < first.priority) first = run
  return first
}

function ending(): Error {
  return troupeError('server_busy', 'The server is shutting down.')
}

/** Wraps a host for run control, so that forked and resumed runs are queued and limited like other runs. */
export function admitForks(
  host: Pick<
    Host,
    'resume' | 'isWaiting' | 'decide' | 'writeTarget' | 'fork' | 'plan' | 'definition' | 'redact'
  >,
  {
    accept,
    addNote,
    createSession,
    admission,
    budget,
    spending,
    onHidden,
  }: Pick<RunHost, 'accept' | 'addNote' | 'createSession'> & {
    readonly admission: RunAdmission
    readonly budget: Budget
    readonly spending: SpendingLimits | undefined
    readonly onHidden: OnHiddenFailure
  },
): RunHost {
  /** Executes a run. Hides private details of failures from all principals but the operator. */
  function runForPrincipal<Options extends Pick<RunOptions, 'onEvent'>>(
    principal: string,
    options: Options,
    run: (options: Options) => Promise<RunReport>,
  ): Promise<RunReport> {
    return principal === LOCAL ? run(options) : runForPublic(options, run, onHidden)
  }

  return {
    accept,
    addNote,
    createSession,
    async resume(runId, { principal, priority, ...options }) {
      const release = await admission.enter(options.signal, { resumed: true, priority })
      try {
        const spendingLimit = await spending?.find(principal)
        const limited = {
          ...options,
          budget: lowerBudget(options.budget, budget),
          ...(spendingLimit === undefined ? {} : { spendingLimit }),
        }
        return await runForPrincipal(principal, limited, (own) => host.resume(runId, own))
      } finally {
        release()
      }
    },
    prompt: (agent) =>
      host.plan().agents.some(({ name }) => name === agent)
        ? host.redact(host.definition(agent).instruction)
        : undefined,
    writeTarget: (call) => host.writeTarget(call),
    isWaiting: (runId) => host.isWaiting(runId),
    decide: (runId, approvalId, decision) => host.decide(runId, approvalId, decision),
    async fork(runId, { principal, priority, ...fork }) {
      const release = await admission.enter(fork.signal, { priority })
      try {
        const spendingLimit = await spending?.admit(principal)
        const limited = { ...fork, budget, ...(spendingLimit === undefined ? {} : { spendingLimit }) }
        const report = await runForPrincipal(
          principal,
          limited,
          async (own) => (await host.fork(runId, own)).report,
        )
        return { report }
      } finally {
        release()
      }
    },
  }
}

/** Merges two budgets. The lower of two caps applies. */
function lowerBudget(one: Budget = {}, other: Budget = {}): Budget {
  const caps = Object.entries(other).map(
    ([kind, cap = Infinity]) => [kind, Math.min(cap, one[kind as keyof Budget] ?? Infinity)] as const,
  )
  return { ...one, ...Object.fromEntries(caps) }
}
