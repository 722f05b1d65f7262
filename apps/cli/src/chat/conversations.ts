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
export interface Conversations {
  of(agent: string): ChatConversation
  set(agent: string, conversation: ChatConversation): void
  /** Adds a finished turn. With `instead`, it replaces the last one. */
  add(
    agent: string,
    turn: { readonly message: string; readonly report: RunReport; readonly instead: boolean },
  ): void
}

const NOTHING_SAID: ChatConversation = Object.freeze({ sessionId: undefined, turns: [] })
/** Error codes of runs that were rejected before they joined the conversation. */
const REFUSALS: ReadonlySet<string> = new Set(['session_busy', 'session_mismatch', 'session_unknown'])

export function createConversations(): Conversations {
  const conversations = new Map<string, ChatConversation>()
  const of = (agent: string): ChatConversation => conversations.get(agent) ?? NOTHING_SAID
  return {
    of,
    set: (agent, conversation) => void conversations.set(agent, conversation),
    add(agent, { message, report, instead }) {
      const { runId, sessionId, outcome, output, error } = report
      if (error !== undefined && REFUSALS.has(error.code)) return
      const { turns } = of(agent)
      const before = instead ? turns.slice(0, -1) : turns
      conversations.set(agent, { sessionId, turns: [...before, { runId, message, outcome, output }] })
    },
  }
}
