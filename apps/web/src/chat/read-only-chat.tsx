import { useCallback, type ReactElement } from 'react'
import { goTo } from '../route/route.ts'
import { ChatMessageView } from './chat-message.tsx'
import type { ConversationMessage } from './use-conversation.ts'
import { useStickToEnd } from './use-stick-to-end.ts'

/** Shows a conversation without input and settings. Scrolls as content arrives. */
export function ReadOnlyChat({
  agent,
  messages,
}: {
  readonly agent: string
  readonly messages: readonly ConversationMessage[]
}): ReactElement {
  const container = useStickToEnd()
  const ignore = useCallback(() => undefined, [])
  return (
    <div ref={container} className="min-h-0 min-w-0 lg:overflow-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-8 px-4 py-6 sm:px-6">
        {messages.map(({ runId, text }) => (
          <ChatMessageView
            key={runId}
            runId={runId}
            text={text}
            agent={agent}
            onLive={ignore}
            onOpenRun={() => goTo({ page: 'run', runId })}
          />
        ))}
      </div>
    </div>
  )
}
