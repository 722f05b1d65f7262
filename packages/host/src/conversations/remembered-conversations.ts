import { carriedMessages } from '@troupe/core'
import type { Clock, Conversation, Message } from '@troupe/schema'
import type { RunRequest, SessionKey } from '@troupe/schema/ports'
import {
  branchUnknown,
  sessionBusy,
  sessionMismatch,
  sessionUnknown,
  type ConversationSource,
  type TurnRequest,
} from './conversation-turn.ts'

/** Limits for the number of conversations and their total size in characters. */
const MAX_CONVERSATIONS = 1000
const MAX_TOTAL_SIZE = 64 * 1024 * 1024
/** Time in ms after which an idle conversation is dropped. */
const IDLE_MS = 60 * 60_000

/** Conversations in the memory of a host, for runs that are not stored. */
export interface RememberedConversations extends ConversationSource {
  find(session: SessionKey): Conversation | undefined
  /** Lists the conversations of a principal, last changed first. */
  list(principal: string): readonly Conversation[]
}

interface RememberedConversation {
  readonly session: SessionKey
  readonly agent: string
  messages: readonly Message[]
  size: number
  lastRunId: string
  /** The values of the last turn that had some. */
  values: RunRequest['values']
  runs: number
  changedAt: number
  /** Id of the run in progress. */
  activeRunId: string | undefined
}

/**
 * Creates a bounded memory. Drops the conversation that was idle longest; one with a run in progress is never
 * dropped.
 */
export function createRememberedConversations(clock: Clock): RememberedConversations {
  // In the order of their last change.
  const conversations = new Map<string, RememberedConversation>()
  let total = 0

  function drop(key: string, { size }: RememberedConversation): void {
    conversations.delete(key)
    total -= size
  }

  function evictConversations(): void {
    const idleSince = clock.now() - IDLE_MS
    for (const [key, conversation] of conversations) {
      if (conversation.activeRunId !== undefined) continue
      const mustDrop =
        conversation.changedAt <= idleSince ||
        conversations.size > MAX_CONVERSATIONS ||
        total > MAX_TOTAL_SIZE
      if (!mustDrop) return
      drop(key, conversation)
    }
  }

  function read(session: SessionKey): RememberedConversation | undefined {
    evictConversations()
    return conversations.get(keyOf(session))
  }

  function open(turn: TurnRequest): RememberedConversation {
    const { session, agent, runId } = turn
    const conversation: RememberedConversation = {
      session,
      agent,
      messages: [],
      size: 0,
      lastRunId: runId,
      values: undefined,
      runs: 0,
      changedAt: clock.now(),
      activeRunId: undefined,
    }
    conversations.set(keyOf(session), conversation)
    return conversation
  }

  function add(known: RememberedConversation, messages: readonly Message[], runId: string): void {
    const size = messages.reduce((sum, message) => sum + messageSize(message), 0)
    known.messages = [...known.messages, ...messages]
    known.size += size
    total += size
    known.runs += 1
    known.lastRunId = runId
    known.changedAt = clock.now()
    const key = keyOf(known.session)
    conversations.delete(key)
    conversations.set(key, known)
  }

  return {
    async startTurn(turn) {
      const { session, agent: requested, runId, continueOnly, branchFrom } = turn
      if (branchFrom !== undefined) return branchUnknown(branchFrom)
      const { sessionId } = session
      const found = read(session)
      if (found?.activeRunId !== undefined) return sessionBusy(sessionId, { runId: found.activeRunId })
      if (found === undefined && continueOnly) return sessionUnknown(sessionId)
      if (found !== undefined && found.agent !== requested)
        return sessionMismatch(sessionId, { agent: found.agent, requested })
      const known = found ?? open(turn)
      known.activeRunId = runId
      return {
        loadHistory: async () => ({
          ...(known.messages.length === 0 ? {} : { history: known.messages }),
          ...(known.values === undefined ? {} : { values: known.values }),
        }),
        end: (result) => {
          known.activeRunId = undefined
          known.values = turn.values ?? known.values
          if (result !== undefined) add(known, carriedMessages(result.messages, result.failure?.code), runId)
          else if (known.runs === 0) drop(keyOf(session), known)
          evictConversations()
        },
      }
    },
    find: (session) => {
      const found = read(session)
      return found === undefined || found.runs === 0 ? undefined : toConversation(found)
    },
    list: (principal) => {
      evictConversations()
      return Array.from(conversations.values())
        .filter(({ session, runs }) => session.principal === principal && runs > 0)
        .map(toConversation)
        .toReversed()
    },
  }
}

function keyOf({ principal, sessionId }: SessionKey): string {
  return JSON.stringify([principal, sessionId])
}

function toConversation({
  session,
  agent,
  lastRunId,
  runs,
  changedAt,
  activeRunId,
}: RememberedConversation): Conversation {
  return { ...session, agent, lastRunId, runs, changedAt, busy: activeRunId !== undefined }
}

/** Returns the approximate size of a message in memory, in characters. */
function messageSize({ content }: Message): number {
  let bytes = 0
  const text = JSON.stringify(content, (_key, part: unknown) => {
    if (!ArrayBuffer.isView(part)) return part
    bytes += part.byteLength
    return null
  })
  return text.length + bytes
}
