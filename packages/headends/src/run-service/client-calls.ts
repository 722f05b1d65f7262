import {
  openRequests,
  type ApprovalDecision,
  type ClientTool,
  type RunListener,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import type { RunServiceContext } from './run-service-context.ts'
import { awaitStart, launchRun, type RunObserver, type StartedRun } from './start-run.ts'
import { isDetached, readLimits, readRequest, type RunRef } from './stored-run.ts'

/** A run of an agent, and the principal that requests it. */
export interface AgentRunRef extends RunRef {
  readonly agent: string
}

/** The calls of stored runs that wait for their clients. */
export interface StoredClientCalls {
  /**
   * Returns a run of the principal and the agent that waits for its client, or was interrupted after its client
   * had sent the results. `undefined` for every other run.
   */
  find(ref: AgentRunRef): Promise<StoredWaitingRun | undefined>
  /** Passes the result of a call to its run. Rejects with `approval_unknown` or `store_locked`. */
  decide(
    runId: string,
    call: { readonly approvalId: string; readonly decision: ApprovalDecision },
  ): Promise<void>
}

/** A stored run that waits for results of its client. */
export interface StoredWaitingRun {
  readonly runId: string
  readonly sessionId: string
  readonly tools: readonly ClientTool[]
  /** Approval ids of the calls without a result. */
  readonly open: readonly string[]
  /** Approval ids of all calls of the client so far. */
  readonly known: ReadonlySet<string>
  /** Stores the results and resumes the run. `onEvent` gets only the events since then. */
  resume(
    results: ReadonlyMap<string, ApprovalDecision>,
    options: { readonly onEvent: RunListener } & Pick<RunOptions, 'signal' | 'approve' | 'ask'>,
  ): Promise<RunReport>
  /**
   * Stores the results and resumes the run without a connection. The observer gets only the events since then.
   * `undefined` for a run that belongs to a connection.
   */
  launch?(
    results: ReadonlyMap<string, ApprovalDecision>,
    observer: RunObserver,
  ): Promise<StartedRun | RunReport>
}

/** Returns true for the approval id of a call that waits for its client. */
export function isClientCall(approvalId: string): boolean {
  return approvalId.endsWith('.client')
}

/** Creates the access to client calls. */
export function createStoredClientCalls(context: RunServiceContext): StoredClientCalls {
  const { host } = context
  return {
    find: (ref) => findWaitingRun(ref, context),
    decide: (runId, { approvalId, decision }) => host.decide(runId, approvalId, decision),
  }
}

async function findWaitingRun(
  { runId, principal, agent }: AgentRunRef,
  context: RunServiceContext,
): Promise<StoredWaitingRun | undefined> {
  const { store, host } = context
  const [root] = await store.roots({ principal, rootRunId: runId })
  if (root === undefined || root.open || root.detail !== 'full') return undefined
  const events = await store.events(runId)
  const last = events.at(-1)
  const request = await readRequest(store, runId)
  if (request?.clientTools === undefined || request.agent.name !== agent || last === undefined)
    return undefined
  if (last.type === 'run-end' && last.runId === runId) return undefined
  const lastSeq = last.seq ?? 0
  const { priority, note, clientTools } = request
  const known = events.flatMap((event) =>
    event.type === 'approval-request' && event.client === true ? event.approvalId : [],
  )
  const limits = { principal, priority, ...readLimits(note) }
  const storeResults = async (results: ReadonlyMap<string, ApprovalDecision>): Promise<void> => {
    for (const [approvalId, decision] of results) await host.decide(runId, approvalId, decision)
  }
  /** Passes on only events that are not stored yet. */
  const newEvents =
    (listener: RunListener): RunListener =>
    (event) => {
      if ((event.seq ?? Infinity) > lastSeq) listener(event)
    }
  return {
    runId,
    sessionId: request.sessionId,
    tools: clientTools.tools,
    known: new Set(known),
    open: openRequests(events).flatMap(({ client, approvalId }) => (client === true ? approvalId : [])),
    async resume(results, { onEvent, ...options }) {
      await storeResults(results)
      return host.resume(runId, { ...limits, ...options, onEvent: newEvents(onEvent) })
    },
    ...(isDetached(request)
      ? {
          async launch(results, observer) {
            await storeResults(results)
            const execute = (own: RunOptions): Promise<RunReport> => host.resume(runId, { ...limits, ...own })
            const own = { ...observer, onEvent: newEvents(observer.onEvent) }
            return awaitStart(launchRun({ runId, principal, observer: own, execute }, context), context)
          },
        }
      : {}),
  }
}
