import type { SessionEntry, SessionKey, SessionTable } from '@troupe/schema/ports'
import { sessionKeyText } from './root-run-query.ts'

/** Creates a table of sessions in memory. `hasRuns` returns true if the store has a root run of a session. */
export function createMemorySessions(hasRuns: (session: SessionKey) => boolean): SessionTable {
  const entries = new Map<string, SessionEntry>()

  /** Deletes the entries of sessions whose root runs are deleted. */
  function prune(): void {
    for (const [key, entry] of entries) if (!hasRuns(entry)) entries.delete(key)
  }

  return {
    list(principal) {
      prune()
      return [...entries.values()].filter((entry) => principal === undefined || entry.principal === principal)
    },
    set(session, { name, archived, branchOf }) {
      prune()
      if (!hasRuns(session)) return false
      const { principal, sessionId } = session
      const key = sessionKeyText(session)
      const { name: _, ...before } = entries.get(key) ?? { principal, sessionId, archived: false }
      const newName = name ?? entries.get(key)?.name ?? ''
      entries.set(key, {
        ...before,
        ...(newName === '' ? {} : { name: newName }),
        ...(archived === undefined ? {} : { archived }),
        ...(branchOf === undefined ? {} : { branchOf }),
      })
      return true
    },
  }
}
