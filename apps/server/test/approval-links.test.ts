import type { ListedApproval } from '@troupe/client'
import { NOTE_STEP } from '@troupe/schema/ports'
import { describe, expect, it } from 'vitest'
import { sender } from './support/sender.ts'
import { serveTeam, type ServedTeam, type TeamToServe } from './support/serve-team.ts'

const AS_OPERATOR = { authorization: 'Bearer a-long-token-of-root' }
const AS_ADA = { authorization: 'Bearer a-long-token-of-ada' }
const TOKENS: TeamToServe['tokens'] = [
  { token: 'a-long-token-of-root', principal: 'root', role: 'operator' },
  { token: 'a-long-token-of-ada', principal: 'ada' },
]

interface Link {
  readonly url: string
  readonly token: string
  readonly expiresAt: number
}

function post(
  { url }: ServedTeam,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

/** Starts a run of Ada and returns its approval. */
async function waitForApproval(team: ServedTeam): Promise<ListedApproval> {
  await post(team, '/api/runs', { q: 'Send' }, AS_ADA)
  const read = async (): Promise<readonly ListedApproval[]> => {
    const response = await fetch(`${team.url}/api/approvals`, { headers: AS_ADA })
    return ((await response.json()) as { readonly approvals: readonly ListedApproval[] }).approvals
  }
  await expect.poll(async () => (await read()).length).toBe(1)
  return (await read())[0] as ListedApproval
}

const linkPath = ({ runId, approvalId }: ListedApproval): string =>
  `/api/runs/${runId}/approvals/${encodeURIComponent(approvalId)}/link`

/** Creates a link as an operator, once the run is suspended. */
async function createLink(team: ServedTeam, approval: ListedApproval, body: object = {}): Promise<Link> {
  const create = (): Promise<Response> =>
    post(team, linkPath(approval), { sentTo: 'ada@example.com', ...body }, AS_OPERATOR)
  let response = await create()
  await expect.poll(async () => (response.ok ? 200 : (response = await create()).status)).toBe(200)
  return (await response.json()) as Link
}

describe('links for approvals', () => {
  it('a link shows its call to its holder without a token, and decides it once', async () => {
    const office = sender()
    const team = await serveTeam({ ...office, tokens: TOKENS })
    const approval = await waitForApproval(team)
    const { url, token } = await createLink(team, approval)
    expect(url).toBe(`${team.url}/#/decide/${token}`)
    for (let preview = 0; preview < 3; preview += 1) {
      const opened = await post(team, '/api/links/open', { token })
      expect(opened.headers.get('cache-control')).toBe('no-store')
      expect(await opened.json()).toMatchObject({
        approval: { toolName: 'send', args: { to: 'Ada' }, path: ['Sender'] },
        decisions: ['approved', 'denied'],
      })
    }
    const decisions = await Promise.all(
      [1, 2, 3].map(() => post(team, '/api/links/decide', { token, decision: 'approved' })),
    )
    expect(decisions.filter(({ ok }) => ok)).toHaveLength(1)
    await expect.poll(() => office.sent).toEqual(['"Ada"'])
    expect((await post(team, '/api/links/open', { token })).status).toBe(404)
    const log = await fetch(`${team.url}/api/approvals?state=decided`, { headers: AS_ADA })
    expect(await log.json()).toMatchObject({
      decisions: [{ decision: 'approved', by: { via: 'link', name: 'ada@example.com' } }],
    })
  })

  it('the store holds no part of the token but its SHA-256', async () => {
    const team = await serveTeam({ ...sender(), tokens: TOKENS })
    const approval = await waitForApproval(team)
    const { token } = await createLink(team, approval)
    const [runId = '', secret = ''] = token.split('.')
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
    const note = JSON.stringify((await team.store.steps(runId, runId)).get(NOTE_STEP))
    expect(note).toMatch(/"link:[0-9a-f]{64}"/u)
    expect(note).not.toContain(secret)
  })

  it('only operators create links', async () => {
    const team = await serveTeam({ ...sender(), tokens: TOKENS })
    const approval = await waitForApproval(team)
    expect((await post(team, linkPath(approval), { sentTo: 'me' }, AS_ADA)).status).toBe(403)
    expect((await post(team, linkPath(approval), { sentTo: 'me' })).status).toBe(401)
  })

  it('a link allows only its decisions, never a decision for later calls, and ends with its lifetime', async () => {
    const team = await serveTeam({ ...sender(), tokens: TOKENS })
    const approval = await waitForApproval(team)
    const { token } = await createLink(team, approval, { decisions: ['denied'] })
    expect((await post(team, '/api/links/decide', { token, decision: 'approved' })).status).toBe(400)
    const lasting = { token, decision: 'denied', remember: 'always' }
    expect((await post(team, '/api/links/decide', lasting)).status).toBe(400)
    const short = await createLink(team, approval, { expiresIn: 1 })
    await expect
      .poll(async () => (await post(team, '/api/links/open', { token: short.token })).status)
      .toBe(404)
    expect((await post(team, '/api/links/decide', { token, decision: 'denied' })).status).toBe(200)
  })

  it('links that do not exist get one error, which does not reveal whether the run exists', async () => {
    const team = await serveTeam({ ...sender(), tokens: TOKENS })
    const { runId } = await waitForApproval(team)
    const messages = new Set<string>()
    for (const token of [`${runId}.wrong`, 'run_none.wrong', 'wrong', `${runId}.`]) {
      const response = await post(team, '/api/links/decide', { token, decision: 'approved' })
      expect(response.status).toBe(404)
      messages.add(await response.text())
    }
    expect(messages.size).toBe(1)
  })
})
