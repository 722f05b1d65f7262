import {
  APPROVAL_EXPIRY_MS,
  toFailure,
  type ApprovalRequest,
  type RunEvent,
  type StoredRoot,
} from '@troupe/schema'
import { toOpenApproval, type OpenApproval } from './open-approval.ts'
import type { ReadStore } from './unkept-runs.ts'

/** An open approval or question of a run tree, as a list of all runs shows it. */
export interface ListedApproval extends OpenApproval {
  /** The root run, under which it is answered. */
  readonly runId: string
  /** The instances from the root run to the one that asks: `Lead`, `Scout[5]`, `Digger[1]`. */
  readonly path: readonly string[]
  /** When it is denied, in ms since 1970. */
  readonly expiresAt: number
}

/** Reads the open approvals of run trees. Remembers how far it has read, so that a tree is not read again from its beginning. */
export interface ApprovalTracker {
  /** Returns the open approvals of a tree, in the order in which they asked. Those of a damaged tree cannot be answered and are left out. */
  read(root: StoredRoot): Promise<readonly ListedApproval[]>
}

/** What is known of a tree up to a `seq`. */
interface TrackedRoot {
  seq: number
  /** The runs that have not ended, by their ids. */
  readonly runs: Map<string, { readonly instance: string; readonly parentRunId: string | undefined }>
  readonly open: Map<string, ApprovalRequest>
  /** At work on the events that follow. */
  reading?: Promise<void> | undefined
}

/** Trees that are remembered; the one that was read longest ago is forgotten first. */
const MOST_TREES = 1000
/** Events that are read before the event loop turns. */
const PAGE = 500

/** Creates a tracker that knows no tree yet. */
export function createApprovalTracker(store: Pick<ReadStore, 'events'>): ApprovalTracker {
  const tracked = new Map<string, TrackedRoot>()

  function find({ rootRunId, lastSeq }: StoredRoot): TrackedRoot {
    const known = tracked.get(rootRunId)
    tracked.delete(rootRunId)
    // a root of the same id that has less is another one
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

/** Returns the instances from the root run to the one that asks; `undefined` if one of them has ended. */
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
