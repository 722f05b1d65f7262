import type { SessionBranch } from '@troupe/client'

/** A session of which a conversation shows the runs before `until`, or all. */
export interface SessionLink {
  readonly sessionId: string
  /** The run that the next session of the chain replaces. */
  readonly until?: string
}

/** Returns the sessions whose runs form a conversation, from the original one to the shown branch. */
export function sessionChain(
  sessionId: string,
  branches: readonly SessionBranch[],
): readonly [...SessionLink[], SessionLink] {
  const chain: [...SessionLink[], SessionLink] = [{ sessionId }]
  const seen = new Set([sessionId])
  for (;;) {
    const first = chain[0]?.sessionId
    const origin = branches.find((branch) => branch.sessionId === first)?.branchOf
    if (origin === undefined || seen.has(origin.sessionId)) return chain
    seen.add(origin.sessionId)
    chain.unshift({ sessionId: origin.sessionId, until: origin.runId })
  }
}

/** The versions of a message: the sessions that show them, and the position of the shown one. */
export interface MessageVersions {
  readonly sessionIds: readonly string[]
  readonly index: number
}

/** A message, and its position in the session that its run belongs to. */
interface MessagePosition {
  readonly runId: string
  readonly sessionId: string
  /** True for the first run of its session. */
  readonly isFirst: boolean
}

/** Returns the run that a message replaces, or its own run. */
export function originOf(
  { runId, sessionId, isFirst }: MessagePosition,
  branches: readonly SessionBranch[],
): SessionBranch['branchOf'] {
  const replaced = branches.find((branch) => branch.sessionId === sessionId)?.branchOf
  return isFirst && replaced !== undefined ? replaced : { sessionId, runId }
}

/** Returns the versions of a message, the original first; `undefined` if there is one only. */
export function versionsOf(
  message: MessagePosition,
  branches: readonly SessionBranch[],
): MessageVersions | undefined {
  const origin = originOf(message, branches)
  const others = branches.filter(
    ({ branchOf }) => branchOf.sessionId === origin.sessionId && branchOf.runId === origin.runId,
  )
  if (others.length === 0) return undefined
  const sessionIds = [origin.sessionId, ...others.map(({ sessionId }) => sessionId)]
  const index = message.runId === origin.runId ? 0 : sessionIds.indexOf(message.sessionId)
  return { sessionIds, index: Math.max(0, index) }
}
