import { carriedMessages } from '@troupe/core'
import {
  LOCAL_PRINCIPAL,
  troupeError,
  userMessage,
  type EarlierMessage,
  type Failure,
  type Message,
  type RunOptions,
  type SessionKey,
} from '@troupe/schema'
import type { RootRun } from '../runs/root-run.ts'
import {
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
export function startConversationTurn(
  { team, definition, options, isSingle }: RootRun,
  { runId, conversations }: { readonly runId: string; readonly conversations: ConversationSource },
): ReturnType<ConversationSource['startTurn']> {
  refuseContradictions(options)
  if (isSingle === true) return TURN_WITHOUT_HISTORY
  const { messages, continueOnly = false } = options
  const session = sessionOf(options, runId)
  const request = {
    runId,
    agent: definition.name,
    session,
    continueOnly,
    isNew: options.sessionId === undefined,
    redactor: team.redactor,
  }
  const result = conversations.startTurn(request)
  if (messages === undefined) return result
  return result instanceof Promise
    ? result.then((turn) => afterMessages(turn, messages))
    : afterMessages(result, messages)
}

function afterMessages(
  result: ConversationTurn | Failure,
  messages: NonNullable<RunOptions['messages']>,
): ConversationTurn | Failure {
  if ('code' in result) return result
  const history = earlierMessages(messages)
  return { loadHistory: () => (history.length === 0 ? {} : { history }), end: result.end }
}

function refuseContradictions({ sessionId, continueOnly, messages }: RunOptions): void {
  if (sessionId === '') throw troupeError('usage_invalid', 'sessionId is empty.')
  if (messages !== undefined && sessionId !== undefined)
    throw troupeError('usage_invalid', 'A run takes `messages` or a `sessionId`, not both.', {
      fix: 'Keep the conversation on one side.',
    })
  if (continueOnly === true && sessionId === undefined)
    throw troupeError('usage_invalid', '`continueOnly` needs a `sessionId`.')
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
