import type { RunPage, RunSummary } from '@troupe/headends'
import type { ReactElement } from 'react'
import { runListPath } from '../api/runs.ts'
import { useRequest } from '../api/use-request.ts'
import { useNow } from '../feed/use-now.ts'
import { hrefOf } from '../route/route.ts'
import { clockTime } from '../ui/format.ts'

const MAX_CONVERSATIONS = 6
/** Maximum number of runs that are searched for conversations. */
const RUNS = '200'

/** A conversation in a list. */
interface ListedConversation {
  readonly sessionId: string
  /** Its first message. */
  readonly title: string
  /** Time of its last message, in ms since 1970. */
  readonly changedAt: number
  readonly messages: number
}

/** Lists the last conversations with an agent, to continue one. Shows nothing if there are none. */
export function EarlierConversations({ agent }: { readonly agent: string }): ReactElement | null {
  const { value } = useRequest<RunPage>(runListPath({ agent, conversations: 'true', limit: RUNS }))
  const now = useNow(false)
  const conversations = conversationsOf(value?.runs ?? [], agent).slice(0, MAX_CONVERSATIONS)
  if (conversations.length === 0) return null
  return (
    <section aria-label="Earlier conversations" className="mx-auto w-full max-w-md">
      <h2 className="pb-2 text-tiny font-semibold tracking-wide text-muted uppercase">Earlier</h2>
      <ul className="divide-y divide-line/60 overflow-hidden rounded-lg border border-line bg-panel">
        {conversations.map(({ sessionId, title, changedAt, messages }) => (
          <li key={sessionId}>
            <a
              href={hrefOf({ page: 'chat', agent, sessionId })}
              className="flex items-baseline gap-3 px-3 py-2 text-small hover:bg-raised focus-visible:-outline-offset-2"
            >
              <span className="min-w-0 grow truncate">{title === '' ? '–' : title}</span>
              {messages === 1 ? null : (
                <span className="shrink-0 text-tiny text-muted tabular">{messages} messages</span>
              )}
              <span className="shrink-0 text-tiny text-muted tabular">{clockTime(changedAt, now)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
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
