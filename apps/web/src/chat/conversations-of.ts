import type { RunSummary } from '@troupe/headends'

/** A conversation in a list. */
export interface ListedConversation {
  readonly sessionId: string
  /** Its first message. */
  readonly title: string
  /** Time of its last message, in ms since 1970. */
  readonly changedAt: number
  readonly messages: number
}

/**
 * Groups runs into the conversations of an agent, newest first. Expects the runs in the order of the server,
 * newest first.
 */
export function conversationsOf(runs: readonly RunSummary[], agent: string): readonly ListedConversation[] {
  const bySession = Map.groupBy(
    runs.filter((run) => run.agent === agent),
    ({ sessionId }) => sessionId,
  )
  return [...bySession].map(([sessionId, own]) => ({
    sessionId,
    title: own.at(-1)?.input ?? '',
    changedAt: own[0]?.startedAt ?? 0,
    messages: own.length,
  }))
}
