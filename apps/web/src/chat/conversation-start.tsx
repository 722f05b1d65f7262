import { Bot, MessageSquare } from 'lucide-react'
import type { ReactElement } from 'react'
import type { ServedAgent } from '../api/agents.ts'
import { useServerLink } from '../api/server-link.ts'
import { hrefOf } from '../route/route.ts'
import { Button, buttonClasses } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { FailureNotice } from '../ui/notice.tsx'
import { EarlierConversations } from './earlier-conversations.tsx'
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
  readonly agent: ServedAgent
  readonly conversation: AgentConversation
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
          <a href={hrefOf({ page: 'chat', agent: agent.name })} className={buttonClasses()}>
            Start a new conversation
          </a>
        }
      >
        There are no messages of this conversation that you can see. They may have been deleted, or belong to
        another user.
      </EmptyState>
    )
  if (messages.length === 0) return <Welcome agent={agent} onPick={onPick} />
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
  readonly agent: ServedAgent
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
