import { useEffect, type ReactElement } from 'react'
import { useServerLink } from '../api/server-link.ts'
import { goTo } from '../route/route.ts'
import { Notice } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { ChatMessageView } from './chat-message.tsx'
import { ConversationListButton } from './conversation-list-button.tsx'
import { ConversationStart } from './conversation-start.tsx'
import { useConversation } from './use-conversation.ts'
import { useStickToEnd } from './use-stick-to-end.ts'

/** Shows a conversation with an agent that the server does not serve, read-only. */
export function UnservedConversation({
  agent,
  sessionId,
  isListShown,
  onToggleList,
  onFamily,
}: {
  readonly agent: string
  readonly sessionId: string | undefined
  readonly isListShown: boolean
  readonly onToggleList: () => void
  /** Called with the sessions that belong to the conversation. */
  readonly onFamily: (family: ReadonlySet<string>) => void
}): ReactElement {
  const { isLost } = useServerLink()
  const conversation = useConversation(agent, sessionId, { isActive, isLost })
  const { messages, family } = conversation
  const container = useStickToEnd()
  useEffect(() => onFamily(family), [family, onFamily])
  return (
    <div className="flex min-h-0 min-w-0 grow flex-col">
      <PageHead title="Chat">
        <ConversationListButton isListShown={isListShown} onToggle={onToggleList} />
      </PageHead>
      <div ref={container} className="min-h-0 grow overflow-auto">
        <div className="mx-auto flex max-w-3xl flex-col gap-8 px-4 py-6 sm:px-6">
          <ConversationStart agent={undefined} conversation={conversation} onPick={ignore} />
          {messages.map(({ runId, text, versions, label }) => (
            <ChatMessageView
              key={runId}
              runId={runId}
              text={text}
              versions={versions}
              label={label}
              agent={agent}
              onLive={ignore}
              onOpenRun={() => goTo({ page: 'run', runId })}
            />
          ))}
        </div>
      </div>
      <div className="mx-auto w-full max-w-3xl px-4 pb-4 sm:px-6">
        <Notice tone="warn">{agent} is not served here, so this conversation cannot be continued.</Notice>
      </div>
    </div>
  )
}

/** Treats every run as active, so that queued messages are not sent. */
function isActive(): boolean {
  return true
}

function ignore(): void {}
