import type { Outcome, RunOutput, RunReport } from '@troupe/schema'

/** One message of a conversation and what came of it. */
export interface ChatTurn {
  readonly runId: string
  readonly message: string
  readonly outcome: Outcome
  readonly output: RunOutput
}

/** What was said with one agent. */
export interface ChatConversation {
  /** Undefined: it begins with the next message. */
  readonly sessionId: string | undefined
  readonly turns: readonly ChatTurn[]
}

/** Of each agent the conversation that one is having with it. */
export interface Conversations {
  of(agent: string): ChatConversation
  set(agent: string, conversation: ChatConversation): void
  /** Adds a turn that has ended. `instead`: of the last one, from whose beginning it parted. */
  add(
    agent: string,
    turn: { readonly message: string; readonly report: RunReport; readonly instead: boolean },
  ): void
}

const NOTHING_SAID: ChatConversation = Object.freeze({ sessionId: undefined, turns: [] })
/** What refuses a run before it is part of a conversation. */
const REFUSALS: ReadonlySet<string> = new Set(['session_busy', 'session_mismatch', 'session_unknown'])

/** Nothing has been said yet. */
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
