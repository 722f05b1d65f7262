import type { RunSummary } from '@troupe/headends'

/** A conversation in a list. */
export interface ListedConversation {
  readonly sessionId: string
  /** What it began with. */
  readonly title: string
  /** When its last message was sent, in ms since 1970. */
  readonly changedAt: number
  readonly messages: number
}

/** The conversations that an agent had, the last one first. The runs are as the server lists them: the last one first. */
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
