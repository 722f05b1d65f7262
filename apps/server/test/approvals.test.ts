import { defineAgent, defineTool } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { createMemoryStore, openSqliteStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { tempProject } from '@troupe/testkit/internal'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sender } from './support/sender.ts'
import { PARROT, serveTeam, type ServedTeam, type TeamToServe } from './support/serve-team.ts'

interface Listed {
  readonly runId: string
  readonly approvalId: string
  readonly path: readonly string[]
}

async function openApprovals(
  { url }: Pick<ServedTeam, 'url'>,
  token?: string,
): Promise<{ readonly approvals: readonly Listed[]; readonly total: number }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return (await (await fetch(`${url}/api/approvals`, { headers })).json()) as Awaited<
    ReturnType<typeof openApprovals>
  >
}

async function post({ url }: ServedTeam, path: string, body: object, token?: string): Promise<Response> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization },
    body: JSON.stringify(body),
  })
}

async function start(team: ServedTeam, body: object, token?: string): Promise<string> {
  const { runId } = (await (await post(team, '/api/runs', body, token)).json()) as { readonly runId: string }
  return runId
}

const decide = (team: ServedTeam, { runId, approvalId }: Listed, body: object): Promise<Response> =>
  post(team, `/api/runs/${runId}/approvals/${encodeURIComponent(approvalId)}`, body)

async function sqliteStore(path: string): Promise<RunStore> {
  return openSqliteStore({
    path,
    clock: SYSTEM_CLOCK,
    random: Math.random,
    writer: { token: `${Math.random()}`, pid: process.pid, host: 'here', isAlive: () => true },
  })
}

/** Returns a lead with two scouts, each with a digger whose tool needs approval and that asks a question. */
function diggers(): TeamToServe {
  const dig = defineTool({
    name: 'dig',
    description: 'Digs.',
    input: { type: 'object', properties: { depth: { type: 'number' } } },
    execute: () => 'dug',
  })
  const choose = defineTool({
    name: 'choose',
    description: 'Asks.',
    effect: 'read',
    input: { type: 'object' },
    execute: async (_args, { ask }) => {
      const said = await ask({ question: 'Where?', choices: ['here', 'there'] })
      return said.answered ? said.text : 'nowhere'
    },
  })
  const agent = (name: string, more: object): ReturnType<typeof defineAgent> =>
    defineAgent({ name, description: name, instruction: name, model: `test/${name.toLowerCase()}`, ...more })
  const call = (tool: string, args: object = {}) => ({ tool, args: args as Record<string, never> })
  const after = (first: ReturnType<typeof call>[]): ReturnType<typeof scriptedModel> =>
    scriptedModel((prompt) => (prompt.at(-1)?.role === 'tool' ? { text: 'Done.' } : { calls: first }))
  return {
    cards: [
      agent('Lead', { agents: ['Scout'] }),
      agent('Scout', { agents: ['Digger'] }),
      agent('Digger', { functionTools: [dig, choose], requiresApproval: ['dig'] }),
    ],
    models: {
      lead: after([call('agent__Scout', { text: 'a' }), call('agent__Scout', { text: 'b' })]),
      scout: after([call('agent__Digger', { text: 'dig' })]),
      digger: after([call('dig', { depth: 3 }), call('choose')]),
    },
  }
}

describe('GET /api/approvals', () => {
  it('GET /api/approvals lists all four waiting calls behind 60 newer runs, and no decided call', async () => {
    const office = sender()
    const team = await serveTeam({
      ...office,
      cards: [...office.cards, PARROT],
      store: createMemoryStore({ clock: SYSTEM_CLOCK, maxRoots: 1000 }),
    })
    const ids: string[] = []
    for (let run = 0; run < 4; run += 1) ids.push(await start(team, { agent: 'Sender', q: 'Send' }))
    for (let run = 0; run < 60; run += 1) await team.host.run('Parrot', 'small')
    await expect.poll(async () => (await openApprovals(team)).total).toBe(4)
    const { approvals } = await openApprovals(team)
    expect(approvals.map(({ runId }) => runId).toSorted()).toEqual(ids.toSorted())
    expect(approvals[0]).toMatchObject({
      path: ['Sender'],
      agent: 'Sender',
      toolName: 'send',
      args: { to: 'Ada' },
    })
    const [first, second] = approvals as [Listed, Listed]
    expect((await decide(team, first, { decision: 'approved' })).status).toBe(200)
    expect((await decide(team, second, { decision: 'denied' })).status).toBe(200)
    await expect
      .poll(async () => (await openApprovals(team)).approvals.map(({ runId }) => runId))
      .toEqual(approvals.slice(2).map(({ runId }) => runId))
    await post(team, `/api/runs/${approvals[2]?.runId}/stop`, {})
    expect((await openApprovals(team)).total).toBe(1)
  })

  it('GET /api/approvals lists approvals and questions of child runs with the path of agents, their time and their expiry', async () => {
    const team = await serveTeam(diggers())
    const runId = await start(team, { q: 'Go' })
    await expect.poll(async () => (await openApprovals(team)).total).toBe(4)
    const { approvals } = await openApprovals(team)
    const about = approvals.map(
      (one) => `${one.path.join(' > ')}: ${(one as unknown as { toolName: string }).toolName}`,
    )
    expect(about.toSorted()).toEqual([
      'Lead > Scout[1] > Digger[1]: choose',
      'Lead > Scout[1] > Digger[1]: dig',
      'Lead > Scout[2] > Digger[1]: choose',
      'Lead > Scout[2] > Digger[1]: dig',
    ])
    for (const one of approvals as readonly (Listed & {
      readonly time: number
      readonly expiresAt: number
    })[]) {
      expect(one).toMatchObject({ runId, agent: 'Digger', instance: 'Digger[1]' })
      expect(one.expiresAt - one.time).toBe(7 * 24 * 60 * 60_000)
    }
    expect(approvals.filter((one) => 'asks' in one)).toMatchObject([
      { asks: { question: 'Where?', choices: ['here', 'there'] } },
      { asks: { question: 'Where?' } },
    ])
    for (const one of approvals)
      await decide(team, one, { decision: 'approved', ...('asks' in one ? { answer: 'here' } : {}) })
    await expect.poll(async () => (await openApprovals(team)).total).toBe(0)
    await expect
      .poll(async () => (await fetch(`${team.url}/api/runs/${runId}`)).json())
      .toMatchObject({ state: 'completed' })
  })

  it('GET /api/approvals lists approvals of runs that an earlier process suspended', async () => {
    const project = await tempProject()
    onTestFinished(() => project.remove())
    const path = join(project.path, 'runs.db')
    const before = await serveTeam({ ...sender(), store: await sqliteStore(path) })
    const runId = await start(before, { q: 'Send' })
    await expect.poll(async () => (await openApprovals(before)).total).toBe(1)
    await before.server.close()
    await before.host.close()
    const office = sender()
    const team = await serveTeam({ ...office, store: await sqliteStore(path) })
    const { approvals } = await openApprovals(team)
    expect(approvals).toMatchObject([{ runId, path: ['Sender'], toolName: 'send' }])
    expect((await decide(team, approvals[0] as Listed, { decision: 'approved' })).status).toBe(200)
    await expect.poll(() => office.sent).toEqual(['"Ada"'])
  })

  it('an approval that an AG-UI client was asked for is listed for its principal until its limit, and the first decision wins', async () => {
    const tokens = ['ada', 'ben'].map((principal) => ({ token: `a-long-token-of-${principal}`, principal }))
    const office = sender()
    const team = await serveTeam({ ...office, tokens })
    const body = {
      threadId: 't',
      runId: 'r',
      messages: [{ id: 'm', role: 'user', content: 'Send' }],
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    }
    const held = await post(team, '/agui/Sender', body, 'a-long-token-of-ben')
    expect(await held.text()).toContain('interrupt')
    expect((await openApprovals(team, 'a-long-token-of-ada')).total).toBe(0)
    const [listed] = (await openApprovals(team, 'a-long-token-of-ben')).approvals as [
      Listed & { readonly time: number; readonly expiresAt: number },
    ]
    expect(listed).toMatchObject({ path: ['Sender'], toolName: 'send' })
    expect(Math.round((listed.expiresAt - listed.time) / 1000)).toBe(600)
    const headers = { authorization: 'Bearer a-long-token-of-ben' }
    const stateOf = async (query: string): Promise<unknown> => {
      const response = await fetch(`${team.url}/api/runs${query}`, { headers })
      return response.json()
    }
    expect(await stateOf('?state=waiting')).toMatchObject({ runs: [{ runId: listed.runId }] })
    expect(await stateOf(`/${listed.runId}`)).toMatchObject({ state: 'waiting' })
    const path = `/api/runs/${listed.runId}/approvals/${encodeURIComponent(listed.approvalId)}`
    expect((await post(team, path, { decision: 'approved' }, 'a-long-token-of-ada')).status).toBe(404)
    expect(office.sent).toEqual([])
    expect((await post(team, path, { decision: 'approved' }, 'a-long-token-of-ben')).status).toBe(200)
    await expect.poll(() => office.sent).toEqual(['"Ada"'])
    const resume = [{ interruptId: listed.approvalId, status: 'resolved', payload: { decision: 'denied' } }]
    const late = await post(team, '/agui/Sender', { ...body, runId: 's', resume }, 'a-long-token-of-ben')
    expect(await late.text()).toContain('Done.')
    expect(await stateOf(`/${listed.runId}`)).toMatchObject({ state: 'completed' })
  })

  it('GET /api/approvals rejects query parameters', async () => {
    const { url } = await serveTeam({ cards: [PARROT] })
    const response = await fetch(`${url}/api/approvals?agent=Parrot`)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('\\"agent\\": unknown query parameter')
  })
})
