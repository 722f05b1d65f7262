import { troupeError, type TroupeError } from '@troupe/schema'
import type { BranchOrigin, RootRunRecord, RunRequest, SessionChange, SessionKey } from '@troupe/schema/ports'
import type { RunServiceContext } from './run-service-context.ts'
import { firstRun } from './list-sessions.ts'
import { createSessionFamilies, type SessionFamilies } from './session-families.ts'
import { findRun, readRequest, type RunRef, type StoredRunRequest } from './stored-run.ts'

type SessionContext = Pick<
  RunServiceContext,
  'store' | 'host' | 'sessions' | 'memoryRuns' | 'live' | 'purge' | 'deletedSessions'
>

/** A stored conversation and its branches. */
export interface SessionView {
  readonly sessionId: string
  /** The name that a person gave the conversation. */
  readonly name?: string
  readonly archived: boolean
  /** All branches of the conversation, the oldest first. Each replaces the message of a run of another session. */
  readonly branches: readonly { readonly sessionId: string; readonly branchOf: BranchOrigin }[]
}

/** Returns a session with the branches of its conversation. Rejects with `session_unknown`. */
export async function viewSession(session: SessionKey, context: SessionContext): Promise<SessionView> {
  await requireRuns(session, context)
  return toView(session, await readFamilies(session, context), context)
}

/** Names or archives the conversation of a session, with all of its branches. Rejects with `session_unknown`. */
export async function changeSession(
  session: SessionKey,
  change: Pick<SessionChange, 'name' | 'archived'>,
  context: SessionContext,
): Promise<SessionView> {
  await requireRuns(session, context)
  const { principal, sessionId } = session
  const root = (await readFamilies(session, context)).rootOf(sessionId)
  if (!(await context.sessions.set({ principal, sessionId: root }, change))) throw sessionUnknown(root)
  return toView(session, await readFamilies(session, context), context)
}

/**
 * Deletes the runs of a conversation and of its branches. Rejects with `session_unknown`, or with
 * `session_busy` if one of the runs is active.
 */
export async function deleteSession(session: SessionKey, context: SessionContext): Promise<void> {
  const { principal, sessionId } = session
  const runIds: string[] = []
  for (const member of (await readFamilies(session, context)).membersOf(sessionId)) {
    for (const { rootRunId, open } of await storedRoots({ principal, sessionId: member }, context)) {
      if (open || context.live.has(rootRunId)) throw sessionBusy(rootRunId)
      runIds.push(rootRunId)
    }
  }
  if (runIds.length === 0) throw sessionUnknown(sessionId)
  if ((await context.purge(runIds)) < runIds.length) throw sessionBusy(runIds.at(-1) ?? '')
  context.deletedSessions.set(principal, (context.deletedSessions.get(principal) ?? 0) + 1)
}

/** A message of a conversation that another one replaces. */
export interface ReplacedMessage {
  readonly request: StoredRunRequest
  /** The run whose history the branch starts with; `undefined` for the first message of a conversation. */
  readonly branchFrom?: string
  readonly branchOf: BranchOrigin
}

/**
 * Finds the message that a run answers, to replace it in the new session `branch`. Rejects with `run_unknown`, with
 * `run_not_resumable` if the message or those before it are not stored, or with `session_mismatch` if the session
 * exists.
 */
export async function replacedMessage(
  ref: RunRef,
  branch: string | undefined,
  context: SessionContext,
): Promise<ReplacedMessage> {
  const { runId, principal } = ref
  const { session } = await findRun(ref, context)
  if (branch !== undefined && (await context.store.roots({ principal, sessionId: branch })).length > 0)
    throw troupeError(
      'session_mismatch',
      `The conversation ${branch} exists, so no branch can start in it.`,
      {
        fix: 'Use another id, or leave it out.',
      },
    )
  const request = await readRequest(context.store, runId)
  const { continues, history = [] }: Pick<RunRequest, 'continues' | 'history'> = request ?? {}
  if (request === undefined || session === undefined || (continues === undefined && history.length > 0))
    throw troupeError(
      'run_not_resumable',
      `The message of the run ${runId} is not stored with its history.`,
      {
        fix: 'Set `store: full` in the card of its agent.',
      },
    )
  const { sessionId } = session
  const entries = await context.sessions.list(principal)
  const [first] = await storedRoots({ principal, sessionId }, context)
  // the first message of a branch replaces the same message as its branch does
  const origin =
    first?.rootRunId === runId ? entries.find((entry) => entry.sessionId === sessionId)?.branchOf : undefined
  return {
    request,
    ...(continues === undefined ? {} : { branchFrom: continues }),
    branchOf: origin ?? { sessionId, runId },
  }
}

async function readFamilies(
  { principal }: SessionKey,
  { sessions }: SessionContext,
): Promise<SessionFamilies> {
  return createSessionFamilies(await sessions.list(principal))
}

async function toView(
  { sessionId, principal }: SessionKey,
  families: SessionFamilies,
  context: SessionContext,
): Promise<SessionView> {
  const root = families.rootOf(sessionId)
  const name = families.nameOf(root)
  const branches = await Promise.all(
    families.branchesOf(root).map(async ({ sessionId: id, branchOf }) => {
      const first = await firstRun({ principal, sessionId: id }, context)
      return { sessionId: id, branchOf, startedAt: first?.startedAt ?? 0 }
    }),
  )
  return {
    sessionId,
    ...(name === undefined ? {} : { name }),
    archived: families.isArchived(root),
    branches: branches
      .toSorted((a, b) => a.startedAt - b.startedAt)
      .map(({ sessionId: id, branchOf }) => ({ sessionId: id, branchOf })),
  }
}

/** Returns the root runs of a session that are in the store, the oldest first. */
async function storedRoots(
  session: SessionKey,
  { store, memoryRuns }: SessionContext,
): Promise<readonly RootRunRecord[]> {
  const inMemory = new Set(memoryRuns.roots(session).map(({ rootRunId }) => rootRunId))
  return (await store.roots(session)).filter(({ rootRunId }) => !inMemory.has(rootRunId))
}

async function requireRuns(session: SessionKey, context: SessionContext): Promise<void> {
  if ((await storedRoots(session, context)).length === 0) throw sessionUnknown(session.sessionId)
}

/** Creates the error for a session without runs. Sessions of other principals get the same error. */
function sessionUnknown(sessionId: string): TroupeError {
  return troupeError('session_unknown', `There is no conversation ${sessionId.slice(0, 100)}.`)
}

function sessionBusy(runId: string): TroupeError {
  return troupeError('session_busy', `The run ${runId} of the conversation has not ended.`, {
    fix: 'Stop it first.',
  })
}
