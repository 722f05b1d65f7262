import { toFailure, type Conversation } from '@troupe/schema'
import type { RunStore, SessionKey } from '@troupe/schema/ports'
import type { RememberedConversations } from './remembered-conversations.ts'
import { storedConversation } from './stored-conversations.ts'

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
