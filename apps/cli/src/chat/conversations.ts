import type { Outcome, RunOutput, RunReport } from '@troupe/schema'

/** One message of a conversation and its answer. */
export interface ChatTurn {
  readonly runId: string
  readonly message: string
  readonly outcome: Outcome
  readonly output: RunOutput
}

/** Conversation with one agent. */
export interface ChatConversation {
  /** `undefined` until the first message is sent. */
  readonly sessionId: string | undefined
  readonly turns: readonly ChatTurn[]
}

/** Current conversation with each agent. */
export interface ChatConversations {
  get(agent: string): ChatConversation
  set(agent: string, conversation: ChatConversation): void
  /** Adds a finished turn. With `replacesLast`, it replaces the last one. */
  add(
    agent: string,
    turn: { readonly message: string; readonly report: RunReport; readonly replacesLast: boolean },
  ): void
}

const EMPTY_CONVERSATION: ChatConversation = Object.freeze({ sessionId: undefined, turns: [] })
/** Error codes of runs that were rejected before they joined the conversation. */
const REFUSALS: ReadonlySet<string> = new Set(['session_busy', 'session_mismatch', 'session_unknown'])

export function createConversations(): ChatConversations {
  const conversations = new Map<string, ChatConversation>()
  const get = (agent: string): ChatConversation => conversations.get(agent) ?? EMPTY_CONVERSATION
  return {
    get,
    set: (agent, conversation) => void conversations.set(agent, conversation),
    add(agent, { message, report, replacesLast }) {
      const { runId, sessionId, outcome, output, error } = report
      if (error !== undefined && REFUSALS.has(error.code)) return
      const { turns } = get(agent)
      const before = replacesLast ? turns.slice(0, -1) : turns
      conversations.set(agent, { sessionId, turns: [...before, { runId, message, outcome, output }] })
    },
  }
}
