import type { Outcome, RunOutput, RunReport, RunRequest, RunStore } from '@troupe/schema'

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

/** Reads the turns of a conversation up to a run, oldest first, as far as they are stored. */
export async function storedTurns(
  store: Pick<RunStore, 'steps' | 'events'>,
  lastRunId: string,
): Promise<readonly ChatTurn[]> {
  const turns: ChatTurn[] = []
  const seen = new Set<string>()
  let runId: string | undefined = lastRunId
  while (runId !== undefined && !seen.has(runId)) {
    seen.add(runId)
    const begin = (await store.steps(runId, runId)).get('begin') as unknown as RunRequest | undefined
    const turn = await readTurn(store, runId)
    if (turn !== undefined) turns.unshift(turn)
    runId = begin?.continues
  }
  return turns
}

async function readTurn(store: Pick<RunStore, 'events'>, runId: string): Promise<ChatTurn | undefined> {
  const events = await store.events(runId)
  const [first] = events
  if (first?.type !== 'run-start') return undefined
  const end = events.findLast((event) => event.type === 'run-end' && event.runId === runId)
  const ended = end?.type === 'run-end' ? end : undefined
  return {
    runId,
    message: first.input,
    outcome: ended?.outcome ?? 'cancelled',
    output: ended?.output ?? { format: 'text' },
  }
}
