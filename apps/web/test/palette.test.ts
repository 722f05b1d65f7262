import type { ListedApproval, RunSummary, SessionSummary } from '@troupe/client'
import { describe, expect, it } from 'vitest'
import { PAGE_KEYS } from '../src/palette/page-keys.ts'
import { paletteGroups, type PaletteData } from '../src/palette/palette-items.ts'

const SESSION: SessionSummary = {
  sessionId: 'trip',
  agent: 'Lead',
  title: 'Plan a\ntrip',
  archived: false,
  changedAt: 1,
  state: 'completed',
}
const RUN: RunSummary = {
  runId: 'run_1',
  agent: 'Lead',
  state: 'failed',
  sessionId: 'trip',
  startedAt: 1,
  input: 'Count ships',
  detail: 'full',
}
const APPROVAL: ListedApproval = {
  runId: 'run_2',
  approvalId: 'run_2:1',
  path: ['Lead', 'Scout[5]'],
  expiresAt: 1,
  agent: 'Scout',
  instance: 'Scout[5]',
  toolName: 'publish',
  args: {},
  time: 1,
  input: 'Publish it.',
  startedAt: 1,
  cost: 0,
}
const DATA: PaletteData = {
  actions: [{ id: 'stop', label: 'Stop the answer', keys: 'Esc', run: () => undefined }],
  agents: [{ name: 'Lead', description: 'Leads.' }],
  sessions: [SESSION],
  runs: [RUN],
  approvals: [APPROVAL],
}

function titles(text: string): readonly string[] {
  return paletteGroups(text, DATA).map(
    ({ title, items }) => `${title}: ${items.map(({ label }) => label).join(', ')}`,
  )
}

describe('the command palette', () => {
  it('without a search, everything but runs is offered', () => {
    expect(titles('')).toEqual([
      'Actions: Stop the answer',
      'Pages: Chat, Runs, Approvals, Agents, Tools',
      'Approvals: Lead › Scout[5] wants to call publish',
      'Conversations: Plan a trip',
      'Agents: Chat with Lead, Lead',
    ])
  })

  it('actions, approvals, pages and agents match by words, and the results of the server are kept', () => {
    expect(titles('ANSWER stop')).toEqual([
      'Actions: Stop the answer',
      'Conversations: Plan a trip',
      'Runs: Count ships',
    ])
    expect(titles('publish')).toContain('Approvals: Lead › Scout[5] wants to call publish')
  })

  it('each entry leads to its page, or is an action', () => {
    const [actions, , approvals, sessions] = paletteGroups('', DATA)
    expect(actions?.items[0]?.href).toBeUndefined()
    expect(approvals?.items[0]?.href).toBe('#/runs/run_2')
    expect(sessions?.items[0]).toMatchObject({ href: '#/chat/Lead/trip', detail: 'Lead' })
  })

  it('long groups are cut', () => {
    const sessions = Array.from({ length: 30 }, (_, index) => ({ ...SESSION, sessionId: `${index}` }))
    const group = paletteGroups('trip', { ...DATA, sessions }).find(({ title }) => title === 'Conversations')
    expect(group?.items).toHaveLength(8)
  })
})

it('the key help names each key of a group once', () => {
  for (const { keys } of PAGE_KEYS) expect(new Set(keys.map(([key]) => key)).size).toBe(keys.length)
})
