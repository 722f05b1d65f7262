import { carriedMessages } from '@troupe/core'
import {
  LOCAL_PRINCIPAL,
  troupeError,
  userMessage,
  type EarlierMessage,
  type Failure,
  type Message,
  type RunOptions,
} from '@troupe/schema'
import type { Redactor, RunRequest, SessionKey } from '@troupe/schema/ports'
import {
  isRefusal,
  TURN_WITHOUT_HISTORY,
  type ConversationSource,
  type ConversationTurn,
} from './conversation-source.ts'

/** Returns the key of the session that a run belongs to. */
export function sessionOf({ sessionId, principal = LOCAL_PRINCIPAL }: RunOptions, runId: string): SessionKey {
  return { sessionId: sessionId ?? runId, principal }
}

/**
 * Starts the turn of a run in its session, or with the messages that the caller passed as history. Returns
 * the refusal if the run may not start. Throws for contradictory options.
 */
export async function startConversationTurn(
  run: {
    readonly runId: string
    readonly agent: string
    readonly options: RunOptions
    readonly redactor: Redactor | undefined
    /** True for a run that no later run of the session continues. */
    readonly isSingle?: boolean | undefined
    /** The values that fill in the prompt of this run. */
    readonly values?: RunRequest['values']
  },
  conversations: ConversationSource,
): Promise<ConversationTurn | Failure> {
  const { runId, agent, options, redactor, isSingle = false, values } = run
  requireConsistentOptions(options)
  if (isSingle) return TURN_WITHOUT_HISTORY
  const { messages, continueOnly = false } = options
  const turn = await conversations.startTurn({
    runId,
    agent,
    session: sessionOf(options, runId),
    continueOnly,
    isNew: options.sessionId === undefined,
    redactor,
    values,
  })
  if (messages === undefined || isRefusal(turn)) return turn
  const history = earlierMessages(messages)
  return { loadHistory: async () => (history.length === 0 ? {} : { history }), end: turn.end }
}

function requireConsistentOptions({ sessionId, continueOnly, messages }: RunOptions): void {
  if (sessionId === '') throw troupeError('usage_invalid', 'sessionId is empty.')
  if (messages !== undefined && sessionId !== undefined)
    throw troupeError('usage_invalid', 'A run accepts `messages` or `sessionId`, not both.', {
      fix: 'Remove one of them.',
    })
  if (continueOnly === true && sessionId === undefined)
    throw troupeError('usage_invalid', '`continueOnly` requires `sessionId`.')
}

/** Converts a history kept by the caller to messages that every provider accepts. */
function earlierMessages(messages: readonly EarlierMessage[]): readonly Message[] {
  return carriedMessages(mergeConsecutive(messages).map(toMessage))
}

/** Merges consecutive messages of the same role. */
function mergeConsecutive(messages: readonly EarlierMessage[]): readonly EarlierMessage[] {
  const turns: EarlierMessage[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (last?.role === message.role)
      turns[turns.length - 1] = { role: last.role, text: `${last.text}\n\n${message.text}` }
    else turns.push(message)
  }
  return turns
}

function toMessage({ role, text }: EarlierMessage): Message {
  return role === 'user' ? userMessage(text) : { role, content: [{ type: 'text', text }] }
}
