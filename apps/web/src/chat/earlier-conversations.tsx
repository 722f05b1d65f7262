import type { RunPage } from '@troupe/headends'
import type { ReactElement } from 'react'
import { runListPath } from '../api/runs.ts'
import { useRequest } from '../api/use-request.ts'
import { useNow } from '../feed/use-now.ts'
import { hrefOf } from '../route/route.ts'
import { clockTime } from '../ui/format.ts'
import { conversationsOf } from './conversations-of.ts'

const MAX_CONVERSATIONS = 6
/** Maximum number of runs that are searched for conversations. */
const RUNS = '200'

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
