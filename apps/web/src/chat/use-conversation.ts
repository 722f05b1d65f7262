import { ApiError, type RunLabel, type RunSummary, type SessionBranch } from '@troupe/client'
import { useCallback, useMemo, useRef, useState } from 'react'
import { client, type RequestFailure } from '../api/client.ts'
import { useAction, type Action } from '../api/use-request.ts'
import { goTo } from '../route/route.ts'
import { useRunPages } from '../runs/use-run-pages.ts'
import type { PendingFile } from './attachments.ts'
import { toRunOptions, type ChatSettings } from './chat-settings.tsx'
import { originOf, sessionChain, versionsOf, type MessageVersions } from './conversation-tree.ts'
import { newId } from './new-id.ts'
import { useAncestors, useBranches } from './use-branches.ts'
import { useMessageQueue, type SendingQueue } from './use-message-queue.ts'
import { refreshSessionList } from './use-sessions.ts'

/** A message and the run that answers it. */
export interface ConversationMessage {
  readonly runId: string
  readonly text: string
  /** Files that were sent from this page. */
  readonly files: readonly PendingFile[]
  /** `undefined` if the run has no label, or was started on this page. */
  readonly label?: RunLabel | undefined
  /** Cost of the run in USD when the conversation was read; `null` if a price is unknown. */
  readonly cost?: number | null | undefined
  /** The message that a new version of this one replaces. */
  readonly origin: SessionBranch['branchOf']
  /** `undefined` if the message has one version only. */
  readonly versions: MessageVersions | undefined
}

/** A conversation: the root runs of a session, after those that it branches off, oldest first. */
export interface AgentConversation {
  readonly messages: readonly ConversationMessage[]
  /** State of the conversation in the URL. A new conversation counts as `read`. */
  readonly state: 'reading' | 'read' | 'unknown'
  readonly failure?: RequestFailure
  /** True if there are messages before the first. */
  readonly hasEarlier: boolean
  readonly isReadingEarlier: boolean
  readEarlier(): void
  readonly queue: SendingQueue
  /** Sends a message in place of an earlier one, as a branch. */
  readonly replace: Action<[message: ConversationMessage, text: string, settings: ChatSettings]>
  /** The sessions of the conversation and its branches. */
  readonly family: ReadonlySet<string>
}

/** Number of messages shown at first. Each has an event stream until its run has ended. */
const PAGE = 30

/** A message that was sent from this page. */
interface SentMessage {
  readonly sessionId: string
  readonly runId: string
  readonly text: string
  readonly files: readonly PendingFile[]
  /** True for the first message of its session. */
  readonly isFirst: boolean
}

/** A run of a conversation, and its position. */
interface PlacedRun extends Pick<RunSummary, 'runId' | 'input' | 'label' | 'cost'> {
  readonly sessionId: string
  /** True for the first run of its session. */
  readonly isFirst: boolean
}

/**
 * Returns the conversation of a session. Without a session, the first message starts one and changes the URL.
 * Queued messages are sent while `isActive` returns false for the last run.
 */
export function useConversation(
  agent: string,
  sessionId: string | undefined,
  { isActive, isLost }: { isActive(runId: string): boolean; readonly isLost: boolean },
): AgentConversation {
  const freshId = useFreshSessionId(sessionId)
  const [sent, setSent] = useState<readonly SentMessage[]>([])
  const { branches, isKnown, add: addBranch } = useBranches(sessionId)
  const query = useMemo(() => (sessionId === undefined ? undefined : { session: sessionId }), [sessionId])
  const { runs, failure, hasOlder, isReadingOlder, readOlder } = useRunPages(query, { limit: PAGE })
  const chain = sessionId === undefined ? [] : sessionChain(sessionId, branches)
  const ancestors = useAncestors(chain.slice(0, -1))
  const sentHere = sent.filter((message) => message.sessionId === sessionId)
  const own = placeRuns(sessionId ?? '', (runs ?? []).toReversed(), { isComplete: !hasOlder, sent: sentHere })
  const earlier = hasOlder
    ? []
    : (ancestors ?? []).flatMap((part) =>
        placeRuns(part.sessionId, part.runs, { isComplete: true, sent: [] }),
      )
  const isComplete = isKnown && ancestors !== undefined
  const messages = isComplete ? [...earlier, ...own].map((run) => toMessage(run, sent, branches)) : []
  const last = messages.at(-1)
  const state = stateOf()

  const onSent = useCallback(
    ({ text, files }: Pick<SentMessage, 'text' | 'files'>, to: Pick<SentMessage, 'runId' | 'sessionId'>) => {
      setSent((before) => [
        ...before,
        { ...to, text, files, isFirst: before.every((message) => message.sessionId !== to.sessionId) },
      ])
      if (sessionId === undefined) goTo({ page: 'chat', agent, sessionId: to.sessionId }, { replace: true })
      refreshSessionList()
    },
    [agent, sessionId],
  )
  const queue = useMessageQueue({
    agent,
    sessionId: sessionId ?? freshId,
    isBlocked: isLost || state !== 'read' || (last !== undefined && isActive(last.runId)),
    onSent,
  })
  const replace = useAction(
    async ({ runId: replaces, origin, files }: ConversationMessage, text: string, settings: ChatSettings) => {
      const options = toRunOptions(settings)
      const session = newSessionId()
      try {
        const { runId } = await client.start(agent, text, { session, replaces, ...options })
        return { sent: { sessionId: session, runId, text, files, isFirst: true }, origin }
      } catch (thrown) {
        if (sessionId === undefined || !isNotStored(thrown)) throw thrown
        const { runId } = await client.start(agent, text, { session: sessionId, ...options })
        return { sent: { sessionId, runId, text, files, isFirst: false } }
      }
    },
    ({ sent: message, origin: branchOf }) => {
      if (branchOf !== undefined) addBranch({ sessionId: message.sessionId, branchOf })
      setSent((before) => [...before, message])
      goTo({ page: 'chat', agent, sessionId: message.sessionId })
      refreshSessionList()
    },
  )
  const family = useMemo(
    () =>
      new Set([
        ...(sessionId === undefined ? [] : [sessionId]),
        ...branches.flatMap((branch) => [branch.sessionId, branch.branchOf.sessionId]),
      ]),
    [sessionId, branches],
  )
  return {
    messages,
    state,
    ...(failure === undefined ? {} : { failure }),
    hasEarlier: hasOlder,
    isReadingEarlier: isReadingOlder,
    readEarlier: readOlder,
    queue,
    replace,
    family,
  }

  function stateOf(): AgentConversation['state'] {
    if (sessionId === undefined || messages.length > 0) return 'read'
    return runs === undefined || !isComplete ? 'reading' : 'unknown'
  }
}

/** Returns the runs of a session with their positions, and after them those that were sent from this page. */
function placeRuns(
  sessionId: string,
  runs: readonly RunSummary[],
  { isComplete, sent }: { readonly isComplete: boolean; readonly sent: readonly SentMessage[] },
): readonly PlacedRun[] {
  const known = new Set(runs.map(({ runId }) => runId))
  const stored = runs.map((run, index) => ({ ...run, sessionId, isFirst: isComplete && index === 0 }))
  const added = sent
    .filter(({ runId }) => !known.has(runId))
    .map(({ runId, text, isFirst }) => ({
      runId,
      sessionId,
      input: text,
      isFirst: isFirst && runs.length === 0,
    }))
  return [...stored, ...added]
}

function toMessage(
  run: PlacedRun,
  sent: readonly SentMessage[],
  branches: readonly SessionBranch[],
): ConversationMessage {
  const { runId, input, label, cost } = run
  return {
    runId,
    text: input,
    files: sent.find((message) => message.runId === runId)?.files ?? [],
    label,
    cost,
    origin: originOf(run, branches),
    versions: versionsOf(run, branches),
  }
}

/** Returns true if the message cannot be replaced, because its run is not stored. It is then sent as the next one. */
function isNotStored(thrown: unknown): boolean {
  return thrown instanceof ApiError && (thrown.code === 'run_not_resumable' || thrown.code === 'run_unknown')
}

/** Returns the id that a new conversation will have. Each new conversation has another one. */
function useFreshSessionId(sessionId: string | undefined): string {
  const fresh = useRef({ id: newSessionId(), isUsed: false })
  if (sessionId === fresh.current.id) fresh.current.isUsed = true
  if (sessionId === undefined && fresh.current.isUsed) fresh.current = { id: newSessionId(), isUsed: false }
  return fresh.current.id
}

function newSessionId(): string {
  return `chat_${newId()}`
}
