import type { RunLabel } from '@troupe/client'
import { useCallback, useMemo, useState } from 'react'
import { client, type RequestFailure } from '../api/client.ts'
import { useAction, type Action } from '../api/use-request.ts'
import { goTo } from '../route/route.ts'
import { useRunPages } from '../runs/use-run-pages.ts'
import { toRunOptions, type ChatSettings } from './chat-settings.tsx'

/** A message and the run that answers it. */
export interface ConversationMessage {
  readonly runId: string
  readonly text: string
  /** `undefined` if the run has no label, or was started on this page. */
  readonly label?: RunLabel | undefined
}

/** A conversation: the root runs of a session, oldest first. */
export interface AgentConversation {
  readonly messages: readonly ConversationMessage[]
  /** State of the conversation in the URL. A new conversation counts as `read`. */
  readonly state: 'reading' | 'read' | 'unknown'
  readonly failure?: RequestFailure
  /** True if there are messages before the first. */
  readonly hasEarlier: boolean
  readonly isReadingEarlier: boolean
  readEarlier(): void
  readonly send: Action<[text: string, settings: ChatSettings]>
}

/** Number of messages shown at first. Each has an event stream until its run has ended. */
const PAGE = 30

/**
 * Returns the conversation of a session. Without a session, the first message starts one and changes the URL.
 * `onSent` is called when the server has accepted a message.
 */
export function useConversation(
  agent: string,
  sessionId: string | undefined,
  onSent: () => void,
): AgentConversation {
  const [sent, setSent] = useState<readonly (ConversationMessage & { readonly session: string })[]>([])
  const query = useMemo(() => (sessionId === undefined ? undefined : { session: sessionId }), [sessionId])
  const { runs, failure, hasOlder, isReadingOlder, readOlder } = useRunPages(query, { limit: PAGE })
  const stored = (runs ?? []).map(({ runId, input, label }) => ({ runId, text: input, label })).toReversed()
  const known = new Set(stored.map(({ runId }) => runId))
  const begin = useCallback(
    async (text: string, settings: ChatSettings) => {
      const session = sessionId ?? newSessionId()
      const { runId } = await client.start(agent, text, { session, ...toRunOptions(settings) })
      setSent((before) => [...before, { session, runId, text }])
      if (sessionId === undefined) goTo({ page: 'chat', agent, sessionId: session }, { replace: true })
    },
    [agent, sessionId],
  )
  const messages = [
    ...stored,
    ...sent.filter(({ session, runId }) => session === sessionId && !known.has(runId)),
  ]
  return {
    messages,
    state: stateOf(),
    ...(failure === undefined ? {} : { failure }),
    hasEarlier: hasOlder,
    isReadingEarlier: isReadingOlder,
    readEarlier: readOlder,
    send: useAction(begin, onSent),
  }

  function stateOf(): AgentConversation['state'] {
    if (sessionId === undefined || messages.length > 0) return 'read'
    return runs === undefined ? 'reading' : 'unknown'
  }
}

/** Returns a random id for a new conversation. `crypto.randomUUID` is not available on a page without TLS. */
function newSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `chat_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
