import { passedRequest, pastConversation } from '@troupe/core'
import { redactValues } from '@troupe/env'
import { type Conversation, type Failure, type Json, type Message, toFailure } from '@troupe/schema'
import {
  QUEUED_STEP,
  type Redactor,
  type RootRunRecord,
  type RunRequest,
  type RunStore,
  type SessionKey,
} from '@troupe/schema/ports'
import {
  branchUnknown,
  sessionExists,
  sessionBusy,
  sessionMismatch,
  sessionUnknown,
  TURN_WITHOUT_HISTORY,
  type ConversationSource,
  type ConversationTurn,
  type TurnHistory,
  type TurnRequest,
} from './conversation-turn.ts'
import type { RememberedConversations } from './remembered-conversations.ts'

/**
 * Returns the sessions of a store. Any process can continue them; the store prevents two runs from doing so
 * at once.
 */
export function createStoredConversations(store: RunStore): ConversationSource {
  return {
    startTurn: async (turn) => {
      if (turn.branchFrom !== undefined) return startBranch(store, turn.branchFrom, turn)
      return turn.isNew ? TURN_WITHOUT_HISTORY : startNamedTurn(store, turn)
    },
  }
}

async function startNamedTurn(store: RunStore, turn: TurnRequest): Promise<ConversationTurn | Failure> {
  const refusal = await turnRefusal(store, turn, await store.roots(turn.session))
  return refusal ?? { loadHistory: () => readTurnHistory(store, turn), end: () => undefined }
}

/** Starts a new session with the history up to a root run, and including it. */
async function startBranch(
  store: RunStore,
  branchFrom: string,
  { session: branch, runId, isNew, agent: requested, redactor }: TurnRequest,
): Promise<ConversationTurn | Failure> {
  const { principal } = branch
  if (!isNew && (await store.roots(branch)).some(({ rootRunId }) => rootRunId !== runId))
    return sessionExists(branch.sessionId)
  const last = await findLastStarted(store, await store.roots({ principal, rootRunId: branchFrom }))
  if (last === undefined) return branchUnknown(branchFrom)
  const { session, agent } = last
  const sessionId = session?.sessionId ?? branchFrom
  if (last.open) return sessionBusy(sessionId, { runId: branchFrom })
  if (await isWaiting(store, last)) return sessionBusy(sessionId, { runId: branchFrom, isWaiting: true })
  if (agent !== requested) return sessionMismatch(sessionId, { agent, requested })
  return { loadHistory: () => readHistoryTo(store, last, redactor), end: () => undefined }
}

/** Reads the history for a run that holds its session. */
async function readTurnHistory(
  store: RunStore,
  { session, runId, redactor }: TurnRequest,
): Promise<TurnHistory> {
  const before = (await store.roots(session)).filter(({ rootRunId }) => rootRunId !== runId)
  const last = await findLastStarted(store, before)
  return last === undefined ? {} : readHistoryTo(store, last, redactor)
}

/** Reads the history up to a root run, and including it. */
async function readHistoryTo(
  store: RunStore,
  { rootRunId: continues, values }: NonNullable<Awaited<ReturnType<typeof findLastStarted>>>,
  redactor: Redactor | undefined,
): Promise<TurnHistory> {
  const history = await storedHistory(store, { continues }, redactor)
  const revealed = values === undefined ? undefined : redactValues(values, redactor?.reveal ?? same)
  return { history, continues, ...(revealed === undefined ? {} : { values: revealed }) }
}

/** Describes a session by its root runs, in order. Returns `undefined` if none of them can be continued. */
async function storedConversation(
  store: RunStore,
  session: SessionKey,
  roots: readonly RootRunRecord[],
): Promise<Conversation | undefined> {
  const startedRuns = roots.filter(({ lastSeq, detail }) => lastSeq > 0 && detail === 'full')
  const last = startedRuns.at(-1)
  const [first] = last === undefined ? [] : await store.events(last.rootRunId, { limit: 1 })
  if (last === undefined || first === undefined) return undefined
  return {
    ...session,
    agent: first.agent,
    lastRunId: last.rootRunId,
    runs: startedRuns.length,
    changedAt: last.changedAt ?? first.time,
    busy: roots.some(({ open }) => open) || (await isWaiting(store, last)),
  }
}

async function turnRefusal(
  store: RunStore,
  { session: { sessionId }, agent: requested, continueOnly }: TurnRequest,
  roots: readonly RootRunRecord[],
): Promise<Failure | undefined> {
  const open = roots.find((root) => root.open) ?? (await findQueued(store, roots))
  if (open !== undefined) return sessionBusy(sessionId, { runId: open.rootRunId })
  const last = await findLastStarted(store, roots)
  if (last === undefined) return continueOnly ? sessionUnknown(sessionId) : undefined
  const { rootRunId: runId } = last
  if (await isWaiting(store, last)) return sessionBusy(sessionId, { runId, isWaiting: true })
  return last.agent === requested ? undefined : sessionMismatch(sessionId, { agent: last.agent, requested })
}

/** Returns a root run that was accepted and has not started. */
async function findQueued(
  store: RunStore,
  roots: readonly RootRunRecord[],
): Promise<RootRunRecord | undefined> {
  for (const root of roots) {
    if (root.lastSeq > 0) continue
    if ((await store.steps(root.rootRunId, root.rootRunId)).has(QUEUED_STEP)) return root
  }
  return undefined
}

/** Returns the last root run that can be continued. */
async function findLastStarted(
  store: RunStore,
  roots: readonly RootRunRecord[],
): Promise<(RootRunRecord & { readonly agent: string } & Pick<RunRequest, 'values'>) | undefined> {
  for (const root of roots.toReversed()) {
    const begin = (await store.steps(root.rootRunId, root.rootRunId)).get('begin')
    if (begin !== undefined) return { ...root, ...startOf(begin) }
  }
  return undefined
}

function startOf(begin: Json): { readonly agent: string } & Pick<RunRequest, 'values'> {
  const { agent, values } = begin as unknown as RunRequest
  return { agent: agent.name, ...(values === undefined ? {} : { values }) }
}

/** Returns true if the root run is suspended because a call needs a decision. */
async function isWaiting(
  store: RunStore,
  { rootRunId, lastSeq, open }: Pick<RootRunRecord, 'rootRunId' | 'lastSeq' | 'open'>,
): Promise<boolean> {
  if (open || lastSeq === 0) return false
  const [last] = await store.events(rootRunId, { after: lastSeq - 1, limit: 1 })
  return last?.type === 'run-waiting'
}

/**
 * Returns the messages of all earlier root runs in the session of a stored root run. The history starts after
 * the last one that was purged or stored as metadata only. Without a `redactor` secrets stay sealed.
 */
export async function storedHistory(
  store: Pick<RunStore, 'steps'>,
  request: Pick<RunRequest, 'history' | 'continues'>,
  redactor: Redactor | undefined,
): Promise<readonly Message[]> {
  const turns: (readonly Message[])[] = []
  const visited = new Set<string>()
  let from = request
  while (from.continues !== undefined && !visited.has(from.continues)) {
    const runId = from.continues
    visited.add(runId)
    const steps = await store.steps(runId, runId)
    const begin = steps.get('begin')
    if (begin === undefined) break
    const before = redactValues(begin, redactor?.reveal ?? same) as unknown as RunRequest
    const run = { request: before, ...(redactor === undefined ? {} : { redactor }) }
    turns.unshift(pastConversation(steps, run))
    from = passedRequest(steps, run) ?? withoutHistory(before)
  }
  return [...(from.continues === undefined ? (from.history ?? []) : []), ...turns.flat()]
}

/** Removes the messages that a caller sent along with an input that a guard denied. */
function withoutHistory({ continues }: RunRequest): Pick<RunRequest, 'history' | 'continues'> {
  return continues === undefined ? {} : { continues }
}

/** Returns the request of a stored root run with its history filled in. */
export async function withHistory(
  request: RunRequest,
  { store, redactor }: { readonly store: RunStore; readonly redactor: Redactor | undefined },
): Promise<RunRequest> {
  if (request.continues === undefined) return request
  return { ...request, history: await storedHistory(store, request, redactor) }
}

function same(text: string): string {
  return text
}

/** All sources of sessions: the store, and memory for runs that are not stored. */
interface ConversationSources {
  readonly store: RunStore | undefined
  readonly remembered: RememberedConversations
}

/** Finds a session in memory or in the store. */
export async function findConversation(
  session: SessionKey,
  { store, remembered }: ConversationSources,
): Promise<Conversation | undefined> {
  const known = remembered.find(session)
  if (known !== undefined || store === undefined) return known
  return storedConversation(store, session, await store.roots(session))
}

/** Lists the sessions of a principal, last changed first. */
export async function listConversations(
  { principal, limit = Infinity }: { readonly principal: string; readonly limit?: number | undefined },
  { store, remembered }: ConversationSources,
): Promise<readonly Conversation[]> {
  const known = remembered.list(principal)
  const inMemory = new Set(known.map(({ sessionId }) => sessionId))
  const roots = (await store?.roots({ principal })) ?? []
  const stored = Array.from(
    Map.groupBy(roots, ({ session }) => session?.sessionId ?? ''),
    ([sessionId, group]) => ({ sessionId, group, changedAt: group.at(-1)?.changedAt ?? 0 }),
  )
    .filter(({ sessionId }) => !inMemory.has(sessionId))
    .toSorted((a, b) => b.changedAt - a.changedAt)
  const found: Conversation[] = [...known]
  for (const { sessionId, group } of stored.slice(0, limit)) {
    const conversation = store && (await readConversation(store, { sessionId, principal }, group))
    if (conversation !== undefined) found.push(conversation)
  }
  return found.toSorted((a, b) => b.changedAt - a.changedAt).slice(0, limit)
}

/** Returns `undefined` for a damaged session, so that the others can still be listed. */
async function readConversation(
  ...args: Parameters<typeof storedConversation>
): Promise<Conversation | undefined> {
  try {
    return await storedConversation(...args)
  } catch (thrown) {
    if (toFailure(thrown).code === 'store_corrupt') return undefined
    throw thrown
  }
}
