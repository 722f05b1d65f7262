import type {
  Conversation,
  Failure,
  Json,
  RunRequest,
  RunStore,
  SessionKey,
  RootRunRecord,
} from '@troupe/schema'
import {
  TURN_WITHOUT_HISTORY,
  type ConversationSource,
  type ConversationTurn,
  type TurnRequest,
} from './conversation-source.ts'
import { sessionBusy, sessionMismatch, sessionUnknown } from './session-refusals.ts'
import { storedHistory } from './stored-history.ts'

/**
 * Returns the sessions of a store. Any process can continue them; the store prevents two runs from doing so
 * at once.
 */
export function createStoredConversations(store: RunStore): ConversationSource {
  return {
    startTurn: (turn) => (turn.isNew ? TURN_WITHOUT_HISTORY : startNamedTurn(store, turn)),
  }
}

async function startNamedTurn(store: RunStore, turn: TurnRequest): Promise<ConversationTurn | Failure> {
  const refused = await refusalOf(store, turn, await store.roots(turn.session))
  return refused ?? { loadHistory: () => readTurnHistory(store, turn), end: () => undefined }
}

/** Reads the history for a run that holds its session. */
async function readTurnHistory(
  store: RunStore,
  { session, runId, redactor }: TurnRequest,
): Promise<Pick<RunRequest, 'history' | 'continues'>> {
  const before = (await store.roots(session)).filter(({ rootRunId }) => rootRunId !== runId)
  const last = await findLastStarted(store, before)
  if (last === undefined) return {}
  const { rootRunId: continues } = last
  return { history: await storedHistory(store, { continues }, redactor), continues }
}

/** Describes a session by its root runs, in order. Returns `undefined` if none of them can be continued. */
export async function storedConversation(
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

async function refusalOf(
  store: RunStore,
  { session: { sessionId }, agent: wanted, continueOnly }: TurnRequest,
  roots: readonly RootRunRecord[],
): Promise<Failure | undefined> {
  const open = roots.find((root) => root.open)
  if (open !== undefined) return sessionBusy(sessionId, { runId: open.rootRunId })
  const last = await findLastStarted(store, roots)
  if (last === undefined) return continueOnly ? sessionUnknown(sessionId) : undefined
  const { rootRunId: runId } = last
  if (await isWaiting(store, last)) return sessionBusy(sessionId, { runId, isWaiting: true })
  return last.agent === wanted ? undefined : sessionMismatch(sessionId, { agent: last.agent, wanted })
}

/** Returns the last root run that can be continued. */
async function findLastStarted(
  store: RunStore,
  roots: readonly RootRunRecord[],
): Promise<(RootRunRecord & { readonly agent: string }) | undefined> {
  for (const root of roots.toReversed()) {
    const begin = (await store.steps(root.rootRunId, root.rootRunId)).get('begin')
    if (begin !== undefined) return { ...root, agent: agentOf(begin) }
  }
  return undefined
}

function agentOf(begin: Json): string {
  return (begin as unknown as RunRequest).agent.name
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
