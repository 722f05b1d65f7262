import type { Agent } from '@troupe/client'
import { lazy, Suspense, useState, type ReactElement } from 'react'
import { useMedia } from '../ui/use-media.ts'
import { ConversationList } from './conversation-list.tsx'
import { Conversation } from './conversation.tsx'

// Loaded when they are shown, to keep the first page small.
const UnservedConversation = lazy(async () => ({
  default: (await import('./unserved-conversation.tsx')).UnservedConversation,
}))
const ConversationSheet = lazy(async () => ({
  default: (await import('./conversation-sheet.tsx')).ConversationSheet,
}))

/** Width from which the list of conversations is shown beside the conversation. */
const WIDE = '(min-width: 80rem)'

/** Shows the list of conversations and the conversation of the URL, read-only if its agent is not served. */
export function ChatPage({
  agents,
  agent,
  sessionId,
  maxBodyBytes,
}: {
  readonly agents: readonly Agent[]
  /** The name of the agent; if the agent is not served, there is a session. */
  readonly agent: string
  readonly sessionId: string | undefined
  /** Maximum size of a request that the server accepts. */
  readonly maxBodyBytes: number
}): ReactElement {
  const isWide = useMedia(WIDE)
  const [isListShown, setListShown] = useState(true)
  const [isSheetOpen, setSheetOpen] = useState(false)
  const [family, setFamily] = useState<ReadonlySet<string>>(NO_FAMILY)
  const names = agents.map(({ name }) => name)
  const served = agents.find(({ name }) => name === agent)
  const list = {
    isListShown: isWide ? isListShown : isSheetOpen,
    onToggleList: () => (isWide ? setListShown(!isListShown) : setSheetOpen(!isSheetOpen)),
    onFamily: setFamily,
  }
  return (
    <div className="flex h-full min-h-0">
      {isWide && isListShown ? (
        <div className="w-60 shrink-0 border-r border-line bg-panel">
          <ConversationList agents={names} family={family} onOpen={() => undefined} />
        </div>
      ) : null}
      {served === undefined ? (
        <Suspense>
          <UnservedConversation key={agent} agent={agent} sessionId={sessionId} {...list} />
        </Suspense>
      ) : (
        <Conversation
          key={agent}
          agents={agents}
          agent={served}
          sessionId={sessionId}
          maxBodyBytes={maxBodyBytes}
          {...list}
        />
      )}
      {isWide || !isSheetOpen ? null : (
        <Suspense>
          <ConversationSheet onClose={() => setSheetOpen(false)}>
            <ConversationList agents={names} family={family} onOpen={() => setSheetOpen(false)} />
          </ConversationSheet>
        </Suspense>
      )}
    </div>
  )
}

const NO_FAMILY: ReadonlySet<string> = new Set()
