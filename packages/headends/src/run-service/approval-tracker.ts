import {
  APPROVAL_EXPIRY_MS,
  toFailure,
  type ApprovalRequest,
  type RunEvent,
  type RootRunRecord,
} from '@troupe/schema'
import { toOpenApproval, type OpenApproval } from './open-approval.ts'
import type { ReadStore } from './memory-runs.ts'

/** An open approval or question of a run tree, as a list of all runs shows it. */
export interface ListedApproval extends OpenApproval {
  /** Id of the root run, under which it is answered. */
  readonly runId: string
  /** Instances from the root run to the one that asks, such as `Lead`, `Scout[5]`, `Digger[1]`. */
  readonly path: readonly string[]
  /** Time of automatic denial, in ms since 1970. */
  readonly expiresAt: number
}

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
  /** The read in progress. */
  reading?: Promise<void> | undefined
}

/** Maximum number of trees remembered. The one that was read longest ago is dropped first. */
const MOST_TREES = 1000
/** Maximum number of events read in one turn of the event loop. */
const PAGE = 500

/** Creates an empty tracker. */
export function createApprovalTracker(store: Pick<ReadStore, 'events'>): ApprovalTracker {
  const tracked = new Map<string, TrackedRoot>()

  function find({ rootRunId, lastSeq }: RootRunRecord): TrackedRoot {
    const known = tracked.get(rootRunId)
    tracked.delete(rootRunId)
    // A root run with the same id but fewer events is a different one.
    const root =
      known === undefined || known.seq > lastSeq ? { seq: 0, runs: new Map(), open: new Map() } : known
    tracked.set(rootRunId, root)
    const [oldest] = tracked.keys()
    if (tracked.size > MOST_TREES && oldest !== undefined) tracked.delete(oldest)
    return root
  }

  async function readOn(rootRunId: string, root: TrackedRoot, lastSeq: number): Promise<void> {
    while (root.seq < lastSeq) {
      const events = await store.events(rootRunId, { after: root.seq, limit: PAGE })
      for (const event of events) reduceTracked(root, event)
      root.seq = events.at(-1)?.seq ?? lastSeq
      if (root.seq < lastSeq) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  return {
    async read(stored) {
      const root = find(stored)
      try {
        root.reading ??= readOn(stored.rootRunId, root, stored.lastSeq).finally(
          () => (root.reading = undefined),
        )
        await root.reading
      } catch (thrown) {
        if (toFailure(thrown).code === 'store_corrupt') return []
        throw thrown
      }
      return [...root.open.values()].flatMap((request) => {
        const path = pathOf(request, root.runs)
        return path === undefined ? [] : [toListed(request, path)]
      })
    },
  }
}

function reduceTracked({ runs, open }: TrackedRoot, event: RunEvent): void {
  switch (event.type) {
    case 'run-start':
      runs.set(event.runId, { instance: event.instance, parentRunId: event.parentRunId })
      break
    case 'run-end':
      runs.delete(event.runId)
      for (const [id, { runId }] of open) if (runId === event.runId) open.delete(id)
      break
    case 'approval-request':
      open.set(event.approvalId, event)
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

function toListed(request: ApprovalRequest, path: readonly string[]): ListedApproval {
  return {
    runId: request.rootRunId,
    path,
    ...toOpenApproval(request),
    expiresAt: request.time + APPROVAL_EXPIRY_MS,
  }
}
