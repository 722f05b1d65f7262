import {
  createProviderLimiter,
  randomId,
  createCancellation,
  type ApprovalGateControl,
  type Cancellation,
  type OpenOnceCalls,
  type OpenRequestsControl,
} from '@troupe/core'
import { type Clock, failure, type ApprovalDecision, type JsonObject } from '@troupe/schema'
import type {
  ProviderLimiter,
  RunDispatcher,
  RunStore,
  RunTracer,
  ValidateArguments,
} from '@troupe/schema/ports'
import type { RememberedApprovals } from '../approvals/remembered-approvals.ts'
import type { RememberedConversations } from '../conversations/remembered-conversations.ts'
import type { HostOptions } from '../config/host-options.ts'
import type { TeamSnapshot } from '../snapshot/team-snapshot.ts'
import type { TeamSnapshots } from '../snapshot/team-snapshots.ts'

/**
 * Dependencies and state that the runs of a host share. They share the limiter, so that provider limits apply
 * to all of them together.
 */
export interface RunsContext {
  readonly clock: Clock
  readonly validate: ValidateArguments
  readonly team: TeamSnapshots
  readonly store: RunStore | undefined
  /** Hands stored root runs to workers. `undefined` if this process executes all runs. */
  readonly dispatcher: RunDispatcher | undefined
  /** Traces the runs that this process executes. */
  readonly tracer: RunTracer | undefined
  readonly remembered: RememberedConversations
  readonly approvals: RememberedApprovals
  readonly limiter: ProviderLimiter
  readonly live: LiveRuns
  /** Id of the host in the leases of its root runs. */
  readonly owner: string
  /** Returns the fields that replace those of the note of each run. `undefined` if there are none. */
  readonly runNote: HostOptions['runNote']
  /** Returns a number from 0 to below 1. */
  random(): number
  /** Throws `usage_invalid` if the host is closed. */
  requireOpen(): void
  /** Returns the store. Throws `usage_invalid` if there is none or the host is closed. */
  requireStore(): RunStore
}

/** Creates the context of one host. */
export function createRunsContext(parts: Omit<RunsContext, 'limiter' | 'live' | 'owner'>): RunsContext {
  let owner: string | undefined
  return {
    ...parts,
    limiter: createProviderLimiter(parts),
    live: createLiveRuns(),
    // Created on first use: most hosts of `check` run nothing, and the first random bytes of a process take
    // as long as reading ten cards.
    get owner() {
      return (owner ??= randomId('host'))
    },
  }
}

/** Returns the note to store with a run of a team. The fields of the host replace those of `note`. */
export function noteOfRun(
  note: JsonObject | undefined,
  { loaded }: TeamSnapshot,
  { runNote }: Pick<RunsContext, 'runNote'>,
): { readonly note?: JsonObject } {
  if (runNote !== undefined) return { note: { ...note, ...runNote(loaded.date) } }
  return note === undefined ? {} : { note }
}

/** A root run in progress in this host. */
export interface RunHandle {
  readonly id: string
  /** Cancels the run. Its `signal` aborts with the reason. */
  readonly stop: Cancellation
  /** Makes the parts of the executing run available. Returns a function that withdraws them. */
  attach(parts: RunParts): () => void
}

/** The parts of an executing root run that the host uses. */
interface RunParts {
  /** Gate of the calls that wait for a decision. `undefined` if the run must not be suspended. */
  readonly approvals: ApprovalGateControl | undefined
  /** Requests to people who are present. */
  readonly openRequests: OpenRequestsControl
  readonly onceCalls: OpenOnceCalls
}

/** The root runs in progress in a host. */
interface LiveRuns {
  /** Starts a run and tracks it until `work` has settled. */
  start<Result>(id: string, work: (run: RunHandle) => Promise<Result>): Promise<Result>
  /** Returns true if a run with the id waits for an answer of a person who is present. */
  isWaiting(id: string): boolean
  /** Decides a pending call of a run. Returns false if no run with the id has such a call. */
  decide(id: string, approvalId: string, decision: ApprovalDecision): boolean
  /** Prevents further `once` calls. A run that reaches one is interrupted before it. */
  holdOnceCalls(): void
  /** Cancels all runs and waits for them to end. */
  end(): Promise<void>
}

/** Creates the live runs of one host. */
function createLiveRuns(): LiveRuns {
  const running = new Set<Pick<RunHandle, 'stop'> & { readonly end: Promise<unknown> }>()
  // Several runs may have the same id, such as a replay of a run in progress.
  const attached = new Set<RunParts & { readonly id: string }>()
  let holdsOnceCalls = false
  return {
    start(id, work) {
      const stop = createCancellation()
      const attach: RunHandle['attach'] = (parts) => {
        const own = { id, ...parts }
        attached.add(own)
        if (holdsOnceCalls) parts.onceCalls.close()
        return () => void attached.delete(own)
      }
      const end = work({ id, stop, attach })
      const run = { stop, end }
      running.add(run)
      return end.finally(() => running.delete(run))
    },
    isWaiting: (id) => [...attached].some((run) => run.id === id && run.openRequests.hasAny),
    decide: (id, approvalId, decision) =>
      [...attached].some(
        (run) =>
          run.id === id &&
          (run.approvals?.decide(approvalId, decision) === true ||
            run.openRequests.decide(approvalId, decision)),
      ),
    holdOnceCalls() {
      holdsOnceCalls = true
      for (const { onceCalls } of attached) onceCalls.close()
    },
    async end() {
      const open = [...running]
      for (const { stop } of open) stop.cancel(failure('run_cancelled', 'the host was closed'))
      await Promise.allSettled(open.map((run) => run.end))
    },
  }
}
