import {
  failure,
  type Failure,
  LOCAL_PRINCIPAL,
  troupeError,
  userMessage,
  type AssistantMessage,
  type EarlierCall,
  type EarlierMessage,
  type Message,
  type RunOptions,
  type ToolResultPart,
} from '@troupe/schema'
import type { Redactor, RunRequest, RunResult, SessionKey } from '@troupe/schema/ports'
import { carriedMessages } from '@troupe/core'

/** A request for the next turn of a session. */
export interface TurnRequest {
  readonly runId: string
  readonly agent: string
  readonly session: SessionKey
  /** True if an unknown session is refused instead of created. */
  readonly continueOnly: boolean
  /** True if the caller named no session, so there is no history. */
  readonly isNew: boolean
  /** Id of the root run that the history ends with, if the turn starts a new session with an earlier history. */
  readonly branchFrom?: string | undefined
  /** Restores the secrets in stored messages. */
  readonly redactor: Redactor | undefined
  /** The values that fill in the prompt of this run. */
  readonly values: RunRequest['values']
}

/** The part of a request that says what a run continues from. */
export type TurnHistory = Pick<RunRequest, 'history' | 'callerHistory' | 'continues' | 'values'>

/** A turn that may run. */
export interface ConversationTurn {
  /**
   * Returns what the run continues from. Call it once the run holds the session, so that the history can no
   * longer change. `values` are those of the last turn that had some.
   */
  loadHistory(): Promise<TurnHistory>
  /** Ends the turn, with `undefined` if the run gave no result. Call once. */
  end(result: RunResult | undefined): void
}

/** A source of sessions: a store, or memory. */
export interface ConversationSource {
  /** Starts a turn. Returns the refusal if the run may not start. */
  startTurn(turn: TurnRequest): Promise<ConversationTurn | Failure>
}

/** A turn without history. */
export const TURN_WITHOUT_HISTORY: ConversationTurn = Object.freeze({
  loadHistory: () => Promise.resolve({}),
  end: () => undefined,
})

/** Returns true if the turn was refused. */
export function isRefusal(result: ConversationTurn | Failure): result is Failure {
  return 'code' in result
}

/**
 * Returns the refusal for a session that does not exist or belongs to another principal. The message does not
 * reveal which.
 */
export function sessionUnknown(sessionId: string): Failure {
  return failure('session_unknown', `There is no conversation ${sessionId}.`)
}

/**
 * Returns the refusal for a branch from a run that is not stored or belongs to another principal. The message does
 * not reveal which.
 */
export function branchUnknown(runId: string): Failure {
  return failure('run_unknown', `There is no stored run ${runId.slice(0, 100)} to branch from.`)
}

/** Returns the refusal for a session that belongs to another agent. */
export function sessionMismatch(
  sessionId: string,
  { agent, requested }: { readonly agent: string; readonly requested: string },
): Failure {
  return failure(
    'session_mismatch',
    `The conversation ${sessionId} belongs to ${agent}, not to ${requested}.`,
  )
}

/** Returns the refusal for a branch in a session that has runs. */
export function sessionExists(sessionId: string): Failure {
  return failure(
    'session_mismatch',
    `The conversation ${sessionId} exists, so no branch can start in it.`,
    'Use another id, or leave it out.',
  )
}

/** Returns the refusal for a session whose last run has not ended or waits for a decision. */
export function sessionBusy(
  sessionId: string,
  { runId, isWaiting = false }: { readonly runId: string; readonly isWaiting?: boolean },
): Failure {
  return isWaiting
    ? failure(
        'session_busy',
        `The run ${runId} of the conversation ${sessionId} is waiting for a decision.`,
        `The run continues after your decision: troupe runs approve ${runId}`,
      )
    : failure('session_busy', `The run ${runId} of the conversation ${sessionId} has not ended.`)
}

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
  const { messages, branchFrom, continueOnly = false } = options
  const turn = await conversations.startTurn({
    runId,
    agent,
    session: sessionOf(options, runId),
    continueOnly,
    isNew: options.sessionId === undefined,
    branchFrom,
    redactor,
    values,
  })
  if (messages === undefined || isRefusal(turn)) return turn
  const history = earlierMessages(messages)
  return {
    loadHistory: async () => (history.length === 0 ? {} : { history, callerHistory: true }),
    end: turn.end,
  }
}

function requireConsistentOptions({ sessionId, continueOnly, messages, branchFrom }: RunOptions): void {
  if (sessionId === '') throw troupeError('usage_invalid', 'sessionId is empty.')
  if (branchFrom !== undefined && messages !== undefined)
    throw troupeError('usage_invalid', 'A run accepts `branchFrom` or `messages`, not both.', {
      fix: 'Remove one of them.',
    })
  if (messages !== undefined && sessionId !== undefined)
    throw troupeError('usage_invalid', 'A run accepts `messages` or `sessionId`, not both.', {
      fix: 'Remove one of them.',
    })
  if (continueOnly === true && sessionId === undefined)
    throw troupeError('usage_invalid', '`continueOnly` requires `sessionId`.')
}

/** Converts a history kept by the caller to messages that every provider accepts. */
function earlierMessages(messages: readonly EarlierMessage[]): readonly Message[] {
  return carriedMessages(toMessages(mergeConsecutive(messages)))
}

/** Merges consecutive messages of the same role. */
function mergeConsecutive(messages: readonly EarlierMessage[]): readonly EarlierMessage[] {
  const turns: EarlierMessage[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (last?.role === message.role && message.role !== 'tool')
      turns[turns.length - 1] = {
        role: last.role,
        text: [last.text, message.text].filter((text) => text !== '').join('\n\n'),
        calls: [...(last.calls ?? []), ...(message.calls ?? [])],
      }
    else turns.push(message)
  }
  return turns
}

/** Converts merged messages. The results after an answer form one message. */
function toMessages(messages: readonly EarlierMessage[]): readonly Message[] {
  const names = new Map(messages.flatMap(({ calls = [] }) => calls.map(({ id, name }) => [id, name])))
  const converted: Message[] = []
  for (const { role, text, calls = [], callId = '' } of messages) {
    if (role === 'user') converted.push(userMessage(text))
    else if (role === 'assistant')
      converted.push({ role, content: [{ type: 'text', text }, ...calls.map(toCallPart)] })
    else {
      const last = converted.at(-1)
      const toolName = names.get(callId) ?? ''
      const part: ToolResultPart = {
        type: 'tool-result',
        toolCallId: callId,
        toolName,
        output: { type: 'text', value: text },
      }
      if (last?.role === 'tool') converted[converted.length - 1] = { role, content: [...last.content, part] }
      else converted.push({ role, content: [part] })
    }
  }
  return converted
}

function toCallPart({
  id,
  name,
  args,
}: EarlierCall): Extract<AssistantMessage['content'][number], { type: 'tool-call' }> {
  return { type: 'tool-call', toolCallId: id, toolName: name, input: args }
}
