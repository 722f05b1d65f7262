import { plainText } from '@troupe/timeline'
import { fitTable, tableLines, type Column } from '../reporter/table.ts'
import type { Style } from '../terminal/style.ts'
import type { ChatTeam } from './chat-team.ts'

const COLUMNS: readonly Column[] = [
  { title: 'conversation' },
  { title: 'agent' },
  { title: 'runs', align: 'right', dropOrder: 2 },
  { title: 'changed', dropOrder: 3 },
  { title: 'last message', dropOrder: 1 },
]
const LISTED = 20
const MESSAGE = 40

/** Returns a table of the conversations with the agents of a team, last changed first. */
export async function sessionTable(
  { host, store }: Pick<ChatTeam, 'host' | 'store'>,
  { style, columns }: { readonly style: Style; readonly columns?: number | undefined },
): Promise<readonly string[]> {
  const agents = new Set(host.agents().map(({ name }) => name))
  const sessions = (await host.sessions()).filter(({ agent }) => agents.has(agent)).slice(0, LISTED)
  if (sessions.length === 0) return [style.dim('no conversations')]
  const rows = await Promise.all(
    sessions.map(async ({ sessionId, agent, runs, changedAt, lastRunId }) => {
      const [first] = await store.events(lastRunId, { limit: 1 })
      const input = first?.type === 'run-start' ? first.input : ''
      const changed = new Date(changedAt).toISOString().slice(0, 16).replace('T', ' ')
      return [plainText(sessionId), plainText(agent), `${runs}`, changed, plainText(input, { max: MESSAGE })]
    }),
  )
  const table = fitTable({ columns: COLUMNS, rows }, columns)
  const [head = '', ...lines] = tableLines(table.columns, table.rows)
  return [style.dim(head), ...lines]
}
