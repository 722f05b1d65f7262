import type { Agent, ListedApproval, RunSummary, SessionSummary } from '@troupe/client'
import { hrefOf, type PageRoute } from '../route/route.ts'
import type { PageAction } from './page-actions.ts'

/** An entry of the command palette: a place to go to, or an action. */
export interface PaletteItem {
  readonly id: string
  readonly label: string
  /** Shown after the label. */
  readonly detail?: string
  readonly href?: string
  run?(): void
}

/** Entries with a heading. */
export interface PaletteGroup {
  readonly title: string
  readonly items: readonly PaletteItem[]
}

/** Data of the entries. Conversations and runs were already searched by the server. */
export interface PaletteData {
  readonly actions: readonly PageAction[]
  readonly agents: readonly Pick<Agent, 'name' | 'description'>[]
  readonly sessions: readonly SessionSummary[]
  readonly runs: readonly RunSummary[]
  readonly approvals: readonly ListedApproval[]
}

const PAGES: readonly (readonly [label: string, route: PageRoute])[] = [
  ['Chat', { page: 'chat' }],
  ['Runs', { page: 'runs' }],
  ['Approvals', { page: 'approvals' }],
  ['Agents', { page: 'agents' }],
  ['Tools', { page: 'tools' }],
]

/** Maximum number of entries of a group, with and without a search. */
const MAX_ITEMS = 8
const MAX_UNSEARCHED = 5
/** Maximum number of characters of a label. */
const MAX_LABEL = 120

/** Returns the entries that match a search, in groups. Groups without entries are left out. */
export function paletteGroups(text: string, data: PaletteData): readonly PaletteGroup[] {
  const words = text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '')
  const matching = (items: readonly PaletteItem[]): readonly PaletteItem[] =>
    items.filter(({ label, detail = '' }) => {
      const searched = `${label} ${detail}`.toLowerCase()
      return words.every((word) => searched.includes(word))
    })
  const groups: readonly PaletteGroup[] = [
    { title: 'Actions', items: matching(data.actions.map(toActionItem)) },
    {
      title: 'Pages',
      items: matching(PAGES.map(([label, route]) => toPlace(`page ${label}`, label, route))),
    },
    { title: 'Approvals', items: matching(data.approvals.map(toApprovalItem)) },
    { title: 'Conversations', items: data.sessions.map(toSessionItem) },
    { title: 'Agents', items: matching(data.agents.flatMap(toAgentItems)) },
    { title: 'Runs', items: text.trim() === '' ? [] : data.runs.map(toRunItem) },
  ]
  return groups
    .map(({ title, items }) => ({
      title,
      items: items.slice(0, words.length === 0 ? MAX_UNSEARCHED : MAX_ITEMS),
    }))
    .filter(({ items }) => items.length > 0)
}

function toPlace(id: string, label: string, route: PageRoute, detail?: string): PaletteItem {
  const short = label.replaceAll(/\s+/gu, ' ').slice(0, MAX_LABEL)
  return { id, label: short, href: hrefOf(route), ...(detail === undefined ? {} : { detail }) }
}

function toActionItem({ id, label, keys, run }: PageAction): PaletteItem {
  return { id: `action ${id}`, label, run, ...(keys === undefined ? {} : { detail: keys }) }
}

function toApprovalItem({ runId, approvalId, toolName, path }: ListedApproval): PaletteItem {
  return toPlace(
    `approval ${approvalId}`,
    `${path.join(' › ')} wants to call ${toolName}`,
    { page: 'run', runId },
    'approval',
  )
}

function toSessionItem({ sessionId, agent, name, title }: SessionSummary): PaletteItem {
  const label = name ?? (title.trim() === '' ? 'Untitled' : title)
  return toPlace(`session ${sessionId}`, label, { page: 'chat', agent, sessionId }, agent)
}

function toAgentItems({ name, description }: PaletteData['agents'][number]): readonly PaletteItem[] {
  return [
    toPlace(`chat ${name}`, `Chat with ${name}`, { page: 'chat', agent: name }),
    toPlace(`agent ${name}`, name, { page: 'agent', agent: name }, description?.slice(0, MAX_LABEL)),
  ]
}

function toRunItem({ runId, agent, input, state }: RunSummary): PaletteItem {
  const label = input.trim() === '' ? runId : input
  return toPlace(`run ${runId}`, label, { page: 'run', runId }, `${agent}, ${state}`)
}
