import { useCallback, useState } from 'react'
import { startRun } from '../api/run-control.ts'
import { RUNS_PATH, type RunList } from '../api/runs.ts'
import { useAction, type Action } from '../api/use-action.ts'
import { useAnswer } from '../api/use-answer.ts'
import { goTo } from '../route/use-route.ts'
import { toRunOptions, type ChatSettings } from './chat-settings.ts'
import { newSessionId } from './new-session-id.ts'

/** One message and the run that answers it. */
export interface ChatMessage {
  readonly runId: string
  readonly text: string
}

/** A conversation: the root runs of one session, the oldest first. */
export interface Conversation {
  readonly messages: readonly ChatMessage[]
  readonly send: Action<[text: string, settings: ChatSettings]>
}

/** The conversation of a session; without one, the first message begins one and goes to its address. */
export function useConversation(agent: string, sessionId: string | undefined): Conversation {
  const [sent, setSent] = useState<readonly (ChatMessage & { readonly session: string })[]>([])
  const { value } = useAnswer<RunList>(sessionId === undefined ? undefined : RUNS_PATH)
  const kept = (value?.runs ?? [])
    .filter((run) => run.sessionId === sessionId)
    .map(({ runId, input }) => ({ runId, text: input }))
    .toReversed()
  const known = new Set(kept.map(({ runId }) => runId))
  const begin = useCallback(
    async (text: string, settings: ChatSettings) => {
      const session = sessionId ?? newSessionId()
      const started = await startRun({ agent, input: text, session, ...toRunOptions(settings) })
      if (!started.ok) return started
      setSent((before) => [...before, { session, runId: started.value.runId, text }])
      if (sessionId === undefined) goTo({ page: 'chat', agent, sessionId: session }, { replace: true })
      return started
    },
    [agent, sessionId],
  )
  return {
    messages: [...kept, ...sent.filter(({ session, runId }) => session === sessionId && !known.has(runId))],
    send: useAction(begin),
  }
}
