import type { SessionEntry } from '@troupe/schema/ports'

/** The conversations of a principal, each with the sessions that branch off it. */
export interface SessionFamilies {
  /** Returns the session that a session branches off, directly or over others; itself if it is no branch. */
  rootOf(sessionId: string): string
  /** Returns the sessions with the same root, the root first. */
  membersOf(sessionId: string): readonly string[]
  /** Returns the entries of the branches with the same root. */
  branchesOf(sessionId: string): readonly (SessionEntry & Required<Pick<SessionEntry, 'branchOf'>>)[]
  nameOf(rootSessionId: string): string | undefined
  isArchived(rootSessionId: string): boolean
  /** Returns the entries of roots with a text in their names, in any letter case. */
  named(text: string): readonly SessionEntry[]
}

/** Finds the families of sessions from the entries of one principal. */
export function createSessionFamilies(entries: readonly SessionEntry[]): SessionFamilies {
  const known = new Map(entries.map((entry) => [entry.sessionId, entry]))
  const branches = entries.filter(isBranch)

  function rootOf(sessionId: string): string {
    let root = sessionId
    for (let steps = 0; steps < known.size; steps += 1) {
      const origin = known.get(root)?.branchOf
      if (origin === undefined) return root
      root = origin.sessionId
    }
    return root
  }

  const branchesOf = (sessionId: string): ReturnType<SessionFamilies['branchesOf']> => {
    const root = rootOf(sessionId)
    return branches.filter((branch) => rootOf(branch.sessionId) === root)
  }
  return {
    rootOf,
    branchesOf,
    membersOf: (sessionId) => [rootOf(sessionId), ...branchesOf(sessionId).map((branch) => branch.sessionId)],
    nameOf: (sessionId) => known.get(sessionId)?.name,
    isArchived: (sessionId) => known.get(sessionId)?.archived === true,
    named: (text) =>
      entries.filter(
        ({ name = '', branchOf }) =>
          branchOf === undefined && name.toLowerCase().includes(text.toLowerCase()),
      ),
  }
}

function isBranch(entry: SessionEntry): entry is SessionEntry & Required<Pick<SessionEntry, 'branchOf'>> {
  return entry.branchOf !== undefined
}
