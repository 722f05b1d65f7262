import type { ReactElement } from 'react'
import type { ServedAgent } from '../api/agents.ts'
import { useServerLink } from '../api/server-link.ts'
import { hrefOf } from '../route/route.ts'
import { Button, buttonClasses } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import type { AgentConversation } from './use-conversation.ts'
import { Welcome } from './welcome.tsx'

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
        Reading the conversation …
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
        The server has no messages of this conversation for you. They may have been deleted, or belong to
        somebody else.
      </EmptyState>
    )
  if (messages.length === 0) return <Welcome agent={agent} onPick={onPick} />
  if (!hasEarlier) return null
  return (
    <Button className="self-center" onClick={readEarlier} disabled={isReadingEarlier}>
      {isReadingEarlier ? 'Reading earlier messages …' : 'Show earlier messages'}
    </Button>
  )
}
