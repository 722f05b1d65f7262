import { LOCAL_PRINCIPAL, troupeError, type Failure, type RunOptions, type SessionKey } from '@troupe/schema'
import type { RootRun } from '../roots/root-run.ts'
import { NOTHING_BEFORE, type Conversations, type Turn } from './conversations.ts'
import { earlierMessages } from './earlier-messages.ts'

/** Returns the key of the session that a run belongs to. */
export function sessionOf({ sessionId, principal = LOCAL_PRINCIPAL }: RunOptions, runId: string): SessionKey {
  return { sessionId: sessionId ?? runId, principal }
}

/**
 * Starts the turn of a run in its session, or with the messages that the caller passed as history. Returns
 * the refusal if the run may not start. Throws for contradictory options.
 */
export function beginTurn(
  { team, definition, options, isSingle }: RootRun,
  { runId, conversations }: { readonly runId: string; readonly conversations: Conversations },
): ReturnType<Conversations['begin']> {
  refuseContradictions(options)
  if (isSingle === true) return NOTHING_BEFORE
  const { messages, continueOnly = false } = options
  const session = sessionOf(options, runId)
  const wanted = {
    runId,
    agent: definition.name,
    session,
    continueOnly,
    isNew: options.sessionId === undefined,
    redactor: team.redactor,
  }
  const begun = conversations.begin(wanted)
  if (messages === undefined) return begun
  return begun instanceof Promise
    ? begun.then((turn) => afterMessages(turn, messages))
    : afterMessages(begun, messages)
}

function afterMessages(begun: Turn | Failure, messages: NonNullable<RunOptions['messages']>): Turn | Failure {
  if ('code' in begun) return begun
  const history = earlierMessages(messages)
  return { past: () => (history.length === 0 ? {} : { history }), end: begun.end }
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
