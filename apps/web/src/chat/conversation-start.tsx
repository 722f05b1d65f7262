import type { Agent } from '@troupe/client'
import { Bot, MessageSquare } from 'lucide-react'
import type { ReactElement } from 'react'
import { client } from '../api/client.ts'
import { useServerLink } from '../api/server-link.ts'
import { useRequest } from '../api/use-request.ts'
import { useNow } from '../feed/use-run.ts'
import { hrefOf } from '../route/route.ts'
import { Button, buttonClasses } from '../ui/button.tsx'
import { clockTime } from '../ui/format.ts'
import { EmptyState, FailureNotice } from '../ui/notice.tsx'
import { nameOfSession } from './session-rows.ts'
import type { AgentConversation } from './use-conversation.ts'

/**
 * Shows the top of a conversation: a welcome if it is new, a button for earlier messages, or the reason why
 * there are no messages.
 */
export function ConversationStart({
  agent,
  conversation,
  onPick,
}: {
  /** `undefined` if the agent is not served. */
  readonly agent: Agent | undefined
  readonly conversation: AgentConversation
  /** Called with the example message of the agent. */
  readonly onPick: (text: string) => void
}): ReactElement | null {
  const { messages, state, failure, hasEarlier, isReadingEarlier, readEarlier } = conversation
  const { isLost } = useServerLink()
  if (failure !== undefined && !isLost) return <FailureNotice failure={failure} />
  if (state === 'reading')
    return (
      <p role="status" className="breathing py-6 text-small text-muted">
        Loading the conversation …
      </p>
    )
  if (state === 'unknown')
    return (
      <EmptyState
        title="No messages"
        action={
          agent === undefined ? undefined : (
            <a href={hrefOf({ page: 'chat', agent: agent.name })} className={buttonClasses()}>
              Start a new conversation
            </a>
          )
        }
      >
        This conversation has no messages that you can see. They may have been deleted, or belong to another
        user.
      </EmptyState>
    )
  if (messages.length === 0) return agent === undefined ? null : <Welcome agent={agent} onPick={onPick} />
  if (!hasEarlier) return null
  return (
    <Button className="self-center" onClick={readEarlier} disabled={isReadingEarlier}>
      {isReadingEarlier ? 'Loading earlier messages …' : 'Show earlier messages'}
    </Button>
  )
}

/**
 * Shows a new conversation: the agent, the agents that it calls, an example message, and earlier
 * conversations.
 */
function Welcome({
  agent,
  onPick,
}: {
  readonly agent: Agent
  readonly onPick: (text: string) => void
}): ReactElement {
  const { name, description, usage, children } = agent
  return (
    <>
      <EmptyState
        icon={<MessageSquare className="size-5" />}
        title={name}
        action={
          usage === undefined ? undefined : (
            <Button
              className="h-auto min-h-8 max-w-full py-1 whitespace-normal"
              onClick={() => onPick(usage)}
            >
              <span>
                Try <q>{usage}</q>
              </span>
            </Button>
          )
        }
      >
        <p>
          {description ??
            'Send it a message below. It uses its tools and agents, and its answer appears here.'}
        </p>
        {children.length === 0 ? null : <Helpers names={children} />}
      </EmptyState>
      <EarlierConversations agent={name} />
    </>
  )
}

function Helpers({ names }: { readonly names: readonly string[] }): ReactElement {
  return (
    <p className="mt-3 flex flex-wrap items-center justify-center gap-1.5">
      <span>It calls</span>
      {names.map((name) => (
        <a
          key={name}
          href={hrefOf({ page: 'agent', agent: name })}
          className="inline-flex items-center gap-1 rounded-full border border-line bg-panel px-2 py-0.5 text-tiny font-medium text-ink hover:border-strong-line"
        >
          <Bot aria-hidden="true" className="size-3 text-muted" />
          {name}
        </a>
      ))}
    </p>
  )
}

const MAX_CONVERSATIONS = 6

/** Lists the last conversations with an agent, to continue one. Shows nothing if there are none. */
function EarlierConversations({ agent }: { readonly agent: string }): ReactElement | null {
  const query = { agent, limit: MAX_CONVERSATIONS }
  const { value } = useRequest({
    key: `earlier ${agent}`,
    load: (options) => client.sessions.list({ ...query, ...options }),
  })
  const now = useNow(false)
  const conversations = (value?.sessions ?? []).slice(0, MAX_CONVERSATIONS)
  if (conversations.length === 0) return null
  return (
    <section aria-label="Earlier conversations" className="mx-auto w-full max-w-md">
      <h2 className="pb-2 text-tiny font-semibold tracking-wide text-muted uppercase">Earlier</h2>
      <ul className="divide-y divide-line/60 overflow-hidden rounded-lg border border-line bg-panel">
        {conversations.map((session) => (
          <li key={session.sessionId}>
            <a
              href={hrefOf({ page: 'chat', agent, sessionId: session.sessionId })}
              className="flex min-h-9 items-center gap-3 px-3 py-2 text-small hover:bg-raised focus-visible:-outline-offset-2 pointer-coarse:min-h-11"
            >
              <span dir="auto" className="min-w-0 grow truncate">
                {nameOfSession(session)}
              </span>
              <span className="shrink-0 text-tiny text-muted tabular">
                {clockTime(session.changedAt, now)}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
