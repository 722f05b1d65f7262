import { sha256Hex } from '@troupe/schema/json'
import { signatureOf } from './changed-runs.ts'
import type { RunServiceContext } from './run-service-context.ts'
import { ownedBy } from './stored-run.ts'

/** Number of newest runs of conversations that are compared. */
const NEWEST = 100

/**
 * Returns a text that changes with the list of conversations of a principal, or of all: with their names and
 * branches, with the newest runs in them, and when this process deletes one.
 */
export async function readSessionsVersion(
  principal: string | undefined,
  { store, sessions, deletedSessions }: Pick<RunServiceContext, 'store' | 'sessions' | 'deletedSessions'>,
): Promise<string> {
  const [entries, roots] = await Promise.all([
    sessions.list(principal),
    store.list({ ...ownedBy(principal), inConversation: true, limit: NEWEST }),
  ])
  const deleted =
    principal === undefined ? [...deletedSessions.values()] : (deletedSessions.get(principal) ?? 0)
  const newest = roots.map((root) => [root.rootRunId, signatureOf(root)])
  return sha256Hex(JSON.stringify([entries, newest, deleted]))
}
