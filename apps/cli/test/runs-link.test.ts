import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createHost } from '@troupe/host'
import { createServer } from '@troupe/server'
import { openSqliteStore } from '@troupe/store'
import { fakeClock } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { shell, type Shell } from './shell.ts'
import { oneAgent } from './team.ts'

const TEAM = oneAgent("- call: [{tool: note, args: {text: a}}]\n- say: 'done: {{results.0.text}}'", {
  fields: 'functionTools: [tools.mjs:note]\nrequiresApproval: [note]',
  files: { 'tools.mjs': 'export function note({ text }) { return "noted " + text }\n' },
})
const STORE = ['--store', 'runs.db'] as const

async function withWaitingRun(files: Readonly<Record<string, string>> = {}): Promise<Shell> {
  const waiting = await shell({ ...TEAM, ...files })
  expect((await waiting.run('run', 'one.md', 'Go.', '--wait', ...STORE)).code).toBe(6)
  return waiting
}

/** Serves the team with the store of the shell until the test ends. Returns its address. */
async function serve({ path }: Shell): Promise<string> {
  // The clock of a test command starts in 1970 too.
  const clock = fakeClock()
  const writer = { token: randomUUID(), pid: process.pid, host: 'here', isAlive: () => true }
  const store = await openSqliteStore({ path: join(path, 'runs.db'), clock, random: Math.random, writer })
  const host = await createHost({ cards: ['one.md'], cwd: path, env: {}, clock, store })
  const server = await createServer({ host, store, port: 0, clock, newId: randomUUID })
  onTestFinished(async () => {
    void server.close()
    await server.close()
    await host.close()
  })
  return server.url
}

function post(url: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

describe('troupe runs approve --link', () => {
  it('the printed link decides the call once on a server with the same store', async () => {
    const waiting = await withWaitingRun({
      'troupe.json': '{ "server": { "publicUrl": "https://agents.example.com/" } }',
    })
    const { code, out, err } = await waiting.run('runs', 'approve', 'run_', '--link', ...STORE)
    expect(code).toBe(0)
    const [, secret = ''] = /^https:\/\/agents\.example\.com\/#\/decide\/(\S+)\n$/u.exec(out) ?? []
    expect(err).toContain('can be used once, within')
    const url = await serve(waiting)
    const token = decodeURIComponent(secret)
    const opened = (await (await post(`${url}/api/links/open`, { token })).json()) as object
    expect(opened).toMatchObject({ approval: { toolName: 'note', args: { text: 'a' } } })
    expect((await post(`${url}/api/links/decide`, { token, decision: 'approved' })).status).toBe(200)
    expect((await post(`${url}/api/links/decide`, { token, decision: 'approved' })).status).toBe(404)
  })

  it('without a public address the link is for the server on this machine that has the run', async () => {
    const waiting = await withWaitingRun()
    const url = await serve(waiting)
    const { port } = new URL(url)
    await writeFile(join(waiting.path, 'troupe.json'), JSON.stringify({ server: { port: Number(port) } }))
    const { out } = await waiting.run('runs', 'approve', 'run_', '--link', '--json', ...STORE)
    const link = JSON.parse(out) as Readonly<Record<string, unknown>>
    expect(link['url']).toMatch(new RegExp(String.raw`^http://127\.0\.0\.1:${port}/#/decide/run_`, 'u'))
    expect(link['expiresAt']).toBeTypeOf('number')
  })

  it('a link needs an address of the page', async () => {
    const waiting = await withWaitingRun({ 'troupe.json': '{ "server": { "port": 1 } }' })
    const { code, err } = await waiting.run('runs', 'approve', 'run_', '--link', ...STORE)
    expect(code).toBe(2)
    expect(err).toContain('Set `server.publicUrl` in troupe.json')
  })

  it('a link cannot be requested together with a decision', async () => {
    const waiting = await shell(TEAM)
    const { code, err } = await waiting.run('runs', 'approve', 'run_', '--link', '--deny')
    expect(code).toBe(2)
    expect(err).toContain("'--link' cannot be used with option '--deny'")
  })
})
