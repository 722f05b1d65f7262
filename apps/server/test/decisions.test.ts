import type { DecidedApproval, DecisionPage, ListedApproval } from '@troupe/client'
import { createMemoryStore } from '@troupe/store'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { describe, expect, it } from 'vitest'
import { sender } from './support/sender.ts'
import { serveTeam, type ServedTeam } from './support/serve-team.ts'

type Headers = Readonly<Record<string, string>>

async function start({ url }: ServedTeam, q: string, headers: Headers = {}): Promise<void> {
  const response = await fetch(`${url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ q }),
  })
  expect(response.status).toBe(202)
}

async function openApprovals({ url }: ServedTeam, headers: Headers = {}): Promise<readonly ListedApproval[]> {
  const response = await fetch(`${url}/api/approvals`, { headers })
  return ((await response.json()) as { readonly approvals: readonly ListedApproval[] }).approvals
}

async function decide(
  { url }: ServedTeam,
  { runId, approvalId }: ListedApproval,
  { headers = {}, ...body }: { readonly decision: string; readonly headers?: Headers },
): Promise<void> {
  const response = await fetch(`${url}/api/runs/${runId}/approvals/${encodeURIComponent(approvalId)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
}

async function decisions({ url }: ServedTeam, query = '', headers: Headers = {}): Promise<DecisionPage> {
  const response = await fetch(`${url}/api/approvals?state=decided${query}`, { headers })
  expect(response.status).toBe(200)
  return (await response.json()) as DecisionPage
}

describe('GET /api/approvals?state=decided', () => {
  it('decisions are listed in pages, the newest first, with the person and the way of each', async () => {
    const team = await serveTeam({ ...sender(), store: createMemoryStore({ clock: SYSTEM_CLOCK }) })
    for (const q of ['one', 'two', 'three', 'four', 'five']) await start(team, q)
    await expect.poll(async () => (await openApprovals(team)).length).toBe(5)
    const open = (await openApprovals(team)).toReversed()
    for (const [index, approval] of open.entries()) {
      await decide(team, approval, { decision: 'denied', ...(index === 0 ? { reason: 'not today' } : {}) })
      await expect.poll(async () => (await decisions(team)).decisions.length).toBe(index + 1)
      // Decisions in the same millisecond have no order.
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    const listed: DecidedApproval[] = []
    for (let before = ''; ;) {
      const page = await decisions(team, `&limit=2${before}`)
      listed.push(...page.decisions)
      if (page.next === undefined) break
      expect(page.decisions).toHaveLength(2)
      before = `&before=${encodeURIComponent(page.next)}`
    }
    expect(listed.map(({ approvalId }) => approvalId)).toEqual(
      open.map(({ approvalId }) => approvalId).toReversed(),
    )
    expect(listed.at(-1)).toMatchObject({
      path: ['Sender'],
      toolName: 'send',
      args: { to: 'Ada' },
      decision: 'denied',
      comment: 'not today',
      by: { via: 'api', name: 'local' },
    })
    expect(await openApprovals(team)).toEqual([])
  })

  it('a decision on the web page is marked as such', async () => {
    const team = await serveTeam(sender())
    await start(team, 'Send')
    await expect.poll(async () => (await openApprovals(team)).length).toBe(1)
    const [approval] = await openApprovals(team)
    const headers = { origin: new URL(team.url).origin }
    await decide(team, approval as ListedApproval, { decision: 'approved', headers })
    await expect
      .poll(async () => (await decisions(team)).decisions)
      .toMatchObject([{ decision: 'approved', by: { via: 'page', name: 'local' } }])
  })

  it('decisions in the runs of others are listed for operators only', async () => {
    const tokens = ['ada', 'ben'].map((principal) => ({ token: `a-long-token-of-${principal}`, principal }))
    const team = await serveTeam({
      ...sender(),
      tokens: [...tokens, { token: 'a-long-token-of-root', principal: 'root', role: 'operator' }],
    })
    const as = (who: string): Headers => ({ authorization: `Bearer a-long-token-of-${who}` })
    await start(team, 'Send', as('ada'))
    await expect.poll(async () => (await openApprovals(team, as('ada'))).length).toBe(1)
    const [approval] = await openApprovals(team, as('ada'))
    await decide(team, approval as ListedApproval, { decision: 'approved', headers: as('root') })
    await expect.poll(async () => (await decisions(team, '', as('ada'))).decisions.length).toBe(1)
    expect(await decisions(team, '', as('ben'))).toEqual({ decisions: [] })
    expect((await decisions(team, '&principal=*', as('root'))).decisions).toMatchObject([
      { by: { via: 'api', name: 'root' } },
    ])
    const refused = await fetch(`${team.url}/api/approvals?state=decided&principal=*`, { headers: as('ben') })
    expect(refused.status).toBe(403)
  })

  it('a position that the server did not issue is rejected', async () => {
    const team = await serveTeam(sender())
    const response = await fetch(`${team.url}/api/approvals?state=decided&before=yesterday`)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('before: send the `next` of the last page.')
  })

  it('an open approval is listed with the message and the start of its run, and no cost if a price is unknown', async () => {
    const team = await serveTeam(sender())
    await start(team, 'Send Ada the letter')
    await expect.poll(async () => (await openApprovals(team)).length).toBe(1)
    const [approval] = await openApprovals(team)
    expect(approval).toMatchObject({ input: 'Send Ada the letter', cost: null })
    expect(approval?.startedAt).toBeLessThanOrEqual(approval?.time ?? 0)
  })
})
