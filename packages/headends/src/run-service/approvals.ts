import {
  requestExpiry,
  toFailure,
  troupeError,
  type ApprovalRequest,
  type RunEvent,
  type JsonObject,
  type Question,
} from '@troupe/schema'
import type { RootRunRecord } from '@troupe/schema/ports'
import type { ReadStore } from './memory-runs.ts'
import type { RunServiceContext } from './run-service-context.ts'
import { ownedBy } from './stored-run.ts'

/** Open approvals and questions. */
export interface ApprovalList {
  /** The oldest first; at most 1,000. */
  readonly approvals: readonly ListedApproval[]
  /** Number of all open ones, including those that are not listed. */
  readonly total: number
}

const MAX_LISTED = 1000
/** Maximum number of root runs or events read in one turn of the event loop. */
const PAGE = 500

/**
 * Returns all open approvals and questions of the active and suspended runs of a principal, or of all
 * principals, that can be answered here.
 */
export async function listApprovals(
  principal: string | undefined,
  context: Pick<RunServiceContext, 'store' | 'live' | 'host' | 'approvals'>,
): Promise<ApprovalList> {
  const open: ListedApproval[] = []
  for await (const root of rootsWithQuestions(principal, context))
    open.push(...(await context.approvals.read(root)))
  open.sort((a, b) => a.time - b.time)
  return { approvals: open.slice(0, MAX_LISTED), total: open.length }
}

/**
 * Yields the root runs with open questions that an answer can reach: runs that are active here, and runs that
 * no process works on.
 */
async function* rootsWithQuestions(
  principal: string | undefined,
  { store, live, host }: Pick<RunServiceContext, 'store' | 'live' | 'host'>,
): AsyncGenerator<RootRunRecord> {
  let before: string | undefined
  for (;;) {
    const roots = await store.list({
      ...ownedBy(principal),
      outcomes: ['none'],
      hasApprovalRequests: true,
      limit: PAGE,
      ...(before === undefined ? {} : { before }),
    })
    for (const root of roots)
      if (
        (root.detail === 'full' && (!root.open || live.has(root.rootRunId))) ||
        host.isWaiting(root.rootRunId)
      )
        yield root
    before = roots.at(-1)?.rootRunId
    if (roots.length < PAGE) return
  }
}

/** An open approval or question of a run tree, as a list of all runs shows it. */
export interface ListedApproval extends OpenApproval {
  /** Id of the root run, under which it is answered. */
  readonly runId: string
  /** Instances from the root run to the one that asks, such as `Lead`, `Scout[5]`, `Digger[1]`. */
  readonly path: readonly string[]
  /** Time of automatic denial, in ms since 1970. */
  readonly expiresAt: number
  /** Start of the input of the root run: the message that it answers. */
  readonly input: string
  /** Start of the root run, in ms since 1970. */
  readonly startedAt: number
  /** Cost of the run tree so far, in USD; `null` if a price is not known. */
  readonly cost: number | null
}

/** Maximum number of characters of the message that are listed. */
const MAX_INPUT = 1000

/**
 * A reader of the open approvals of run trees. It remembers its position in each tree, so that no event is
 * read twice.
 */
export interface ApprovalTracker {
  /**
   * Returns the open approvals of a tree, the oldest first. Returns none for a damaged tree, because they
   * cannot be answered.
   */
  read(root: RootRunRecord): Promise<readonly ListedApproval[]>
}

/** State of a tree up to a `seq`. */
interface TrackedRoot {
  seq: number
  /** Runs that have not ended, by run id. */
  readonly runs: Map<string, { readonly instance: string; readonly parentRunId: string | undefined }>
  readonly open: Map<string, ApprovalRequest>
  input: string
  startedAt: number
  cost: number | null
  /** The read in progress. */
  reading?: Promise<void> | undefined
}

/** Maximum number of trees remembered. The one that was read longest ago is dropped first. */
const MAX_TREES = 1000

/** Creates an empty tracker. */
export function createApprovalTracker(store: Pick<ReadStore, 'events'>): ApprovalTracker {
  const tracked = new Map<string, TrackedRoot>()

  function trackRoot({ rootRunId, lastSeq }: RootRunRecord): TrackedRoot {
    const known = tracked.get(rootRunId)
    tracked.delete(rootRunId)
    // A root run with the same id but fewer events is a different one.
    const root = known === undefined || known.seq > lastSeq ? newRoot() : known
    tracked.set(rootRunId, root)
    const [oldest] = tracked.keys()
    if (tracked.size > MAX_TREES && oldest !== undefined) tracked.delete(oldest)
    return root
  }

  async function readNewEvents(rootRunId: string, root: TrackedRoot, lastSeq: number): Promise<void> {
    while (root.seq < lastSeq) {
      const events = await store.events(rootRunId, { after: root.seq, limit: PAGE })
      for (const event of events) reduceTracked(root, event)
      root.seq = events.at(-1)?.seq ?? lastSeq
      if (root.seq < lastSeq) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  return {
    async read(stored) {
      const root = trackRoot(stored)
      try {
        root.reading ??= readNewEvents(stored.rootRunId, root, stored.lastSeq).finally(
          () => (root.reading = undefined),
        )
        await root.reading
      } catch (thrown) {
        if (toFailure(thrown).code === 'store_corrupt') return []
        throw thrown
      }
      return [...root.open.values()].flatMap((request) => {
        const path = pathOf(request, root.runs)
        return path === undefined ? [] : [toListed(request, { path, root, isActive: stored.open })]
      })
    },
  }
}

function newRoot(): TrackedRoot {
  return { seq: 0, runs: new Map(), open: new Map(), input: '', startedAt: 0, cost: 0 }
}

function reduceTracked(root: TrackedRoot, event: RunEvent): void {
  const { runs, open } = root
  switch (event.type) {
    case 'run-start':
      if (event.runId === event.rootRunId) {
        root.input = event.input.slice(0, MAX_INPUT)
        root.startedAt = event.time
      }
      runs.set(event.runId, { instance: event.instance, parentRunId: event.parentRunId })
      break
    case 'run-end':
      runs.delete(event.runId)
      for (const [id, { runId }] of open) if (runId === event.runId) open.delete(id)
      break
    case 'usage':
      root.cost = event.cost === null || root.cost === null ? null : root.cost + event.cost
      break
    case 'approval-request':
      if (event.client === undefined) open.set(event.approvalId, event)
      break
    case 'approval-result':
      open.delete(event.approvalId)
      break
    default:
  }
}

/** Returns the instances from the root run to the one that asks, or `undefined` if one of them has ended. */
function pathOf({ runId }: ApprovalRequest, runs: TrackedRoot['runs']): readonly string[] | undefined {
  const path: string[] = []
  for (let at: string | undefined = runId; at !== undefined;) {
    const run = runs.get(at)
    if (run === undefined || path.length > runs.size) return undefined
    path.unshift(run.instance)
    at = run.parentRunId
  }
  return path
}

function toListed(
  request: ApprovalRequest,
  {
    path,
    root: { input, startedAt, cost },
    isActive,
  }: { readonly path: readonly string[]; readonly root: TrackedRoot; readonly isActive: boolean },
): ListedApproval {
  return {
    runId: request.rootRunId,
    path,
    ...toOpenApproval(request),
    expiresAt: requestExpiry(request, isActive),
    input,
    startedAt,
    cost,
  }
}

/**
 * Returns the open approval with this id. An id ends in `#` and a number, which a URL loses unless the client
 * encodes it. Throws `approval_unknown`.
 */
export function requireOpen(open: readonly ListedApproval[], requestedId: string): ListedApproval {
  const approval = open.find(
    ({ approvalId }) => approvalId === requestedId || approvalId.startsWith(`${requestedId}#`),
  )
  if (approval !== undefined) return approval
  throw troupeError('approval_unknown', `There is no pending approval ${requestedId.slice(0, 200)}.`)
}

/** A tool call that waits for a decision. */
export interface OpenApproval {
  readonly approvalId: string
  readonly agent: string
  readonly instance: string
  readonly toolName: string
  readonly args: JsonObject
  /** Question of the tool; `undefined` if only the call itself needs an approval. */
  readonly asks?: Question
  readonly reason?: string
  /** Wall time of the request, in ms. */
  readonly time: number
}

/** Converts an approval request to its public form. */
export function toOpenApproval(request: ApprovalRequest): OpenApproval {
  const { approvalId, agent, instance, toolName, args, asks, reason, time } = request
  return {
    approvalId,
    agent,
    instance,
    toolName,
    args,
    time,
    ...(asks === undefined ? {} : { asks }),
    ...(reason === undefined ? {} : { reason }),
  }
}
