import type { Outcome, RunOutput, RunReport } from '@troupe/schema'
import type { RunRequest, RunStore } from '@troupe/schema/ports'
import { plainText } from '@troupe/timeline'
import { markdownLines } from '../reporter/markdown.ts'
import { outputText } from '../reporter/end.ts'
import type { Terminal, Style } from '../terminal/terminal.ts'
import type { TeamChat } from './team-chat.ts'
import { countText, fitTable, tableLines, type Column } from '../reporter/table.ts'
import type { PickerEntry } from '../human-input/picker.ts'
import type { ChatTeam } from './chat-team.ts'

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
interface ChatConversations {
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

const MAX_LENGTH = 2000

/** Returns the lines that summarise a continued conversation: the number of turns and the last one. */
export function recap(
  teamChat: Pick<TeamChat, 'agent' | 'sessionId' | 'turns'>,
  terminal: Terminal,
): readonly string[] {
  const { style, stderr } = terminal
  const { turns } = teamChat
  const count = turns.length === 1 ? '1 turn' : `${turns.length} turns`
  const head = style.dim(
    `Conversation ${plainText(teamChat.sessionId ?? '')} with ${plainText(teamChat.agent)}: ${count}.`,
  )
  const last = turns.at(-1)
  if (last === undefined) return [head]
  const answer = outputText(last.output).slice(0, MAX_LENGTH)
  return [
    head,
    `${style.cyan('>')} ${plainText(last.message, { max: MAX_LENGTH })}`,
    ...markdownLines(answer, { width: (stderr.columns ?? 80) - 1, style }),
  ]
}

const COLUMNS: readonly Column[] = [
  { title: 'conversation' },
  { title: 'agent' },
  { title: 'runs', align: 'right', dropOrder: 2 },
  { title: 'changed', dropOrder: 3 },
  { title: 'last message', dropOrder: 1 },
]
const MAX_LISTED = 20
const MESSAGE_WIDTH = 40

/** Returns the conversations with the agents of a team, last changed first. */
async function listConversations({ host, store }: Pick<ChatTeam, 'host' | 'store'>) {
  const agents = new Set(host.agents().map(({ name }) => name))
  const sessions = (await host.sessions()).filter(({ agent }) => agents.has(agent)).slice(0, MAX_LISTED)
  return Promise.all(
    sessions.map(async ({ sessionId, agent, runs, changedAt, lastRunId }) => {
      const [first] = await store.events(lastRunId, { limit: 1 })
      const input = first?.type === 'run-start' ? first.input : ''
      const changed = new Date(changedAt).toISOString().slice(0, 16).replace('T', ' ')
      return { sessionId, cells: [agent, `${runs}`, changed, input] as const }
    }),
  )
}

/** Returns the conversations as entries of a list to choose from. */
export async function sessionEntries(
  team: Pick<ChatTeam, 'host' | 'store'>,
): Promise<readonly PickerEntry[]> {
  return (await listConversations(team)).map(({ sessionId, cells: [agent, runs, changed, input] }) => ({
    value: sessionId,
    label: `${changed}  ${plainText(agent)}  ${countText(Number(runs), 'message')}  ${plainText(input, { max: 80 })}`,
  }))
}

/** Returns a table of the conversations with the agents of a team, last changed first. */
export async function sessionTable(
  team: Pick<ChatTeam, 'host' | 'store'>,
  { style, columns }: { readonly style: Style; readonly columns?: number | undefined },
): Promise<readonly string[]> {
  const conversations = await listConversations(team)
  if (conversations.length === 0) return [style.dim('no conversations')]
  const rows = conversations.map(({ sessionId, cells: [agent, runs, changed, input] }) => [
    plainText(sessionId),
    plainText(agent),
    runs,
    changed,
    plainText(input, { max: MESSAGE_WIDTH }),
  ])
  const table = fitTable({ columns: COLUMNS, rows }, columns)
  const [titles = '', ...lines] = tableLines(table.columns, table.rows)
  return [style.dim(titles), ...lines]
}
