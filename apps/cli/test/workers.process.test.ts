import type { RunEvent } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { createDatabase, HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { serveFolder } from './serve-folder.ts'
import { startProgram, type Program } from './start-program.ts'
import { project, troupe } from './team.ts'

const TEAM = {
  'lead.md':
    '---\nname: Lead\ndescription: Leads.\nmodel: script/script.yaml\nagents: [clerk.md]\ndefault: true\n---\nLead.\n',
  'clerk.md': [
    '---',
    'name: Clerk',
    'description: Sends.',
    'model: script/script.yaml',
    'functionTools: [send.mjs:send]',
    'requiresApproval: [send]',
    '---',
    'Send.',
    '',
  ].join('\n'),
  'script.yaml': [
    'agents:',
    '  Lead:',
    '    - call: [{ tool: agent__Clerk, args: { text: Ada } }, { tool: agent__Clerk, args: { text: Ben } }]',
    "    - say: 'All sent.'",
    '  Clerk:',
    "    - call: [{ tool: send, args: { to: '{{input}}' } }]",
    "    - say: 'Sent to {{input}}.'",
    '',
  ].join('\n'),
  'send.mjs': [
    "import { appendFileSync } from 'node:fs'",
    'export function send({ to }) {',
    "  appendFileSync(new URL('sent.txt', import.meta.url), `${to}\\n`)",
    "  return 'sent'",
    '}',
    "send.input = { type: 'object', properties: { to: { type: 'string' } } }",
    '',
  ].join('\n'),
}

const ANSWER = 'The library is open today.'

/** A team whose answer takes two seconds. */
const TEXT_TEAM = {
  'lead.md': '---\nname: Lead\ndescription: Leads.\nmodel: script/script.yaml\ndefault: true\n---\nLead.\n',
  'script.yaml': `agents:\n  Lead:\n    - { delay: 2s, say: '${ANSWER}' }\n`,
}

/** A team in a folder, and a database for its servers and workers. */
async function openCluster(
  team: Readonly<Record<string, string>> = TEAM,
): Promise<{ readonly path: string; readonly store: readonly string[] }> {
  const { path } = await project(team)
  const database = await createDatabase(inject('postgres'))
  onTestFinished(() => database.drop())
  return { path, store: ['--store', database.url] }
}

async function startWorker(path: string, words: readonly string[]): Promise<Program> {
  const worker = startProgram(['worker', '.', ...words], path)
  await worker.says('takes runs of')
  return worker
}

interface View {
  readonly state: string
  readonly output?: { readonly text?: string }
  readonly approvals: readonly { readonly approvalId: string }[]
}

/** Returns the run events of an event stream. */
const eventsOf = (stream: string): readonly RunEvent[] =>
  stream
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {') ? (JSON.parse(line.slice(6)) as RunEvent) : []))
    .filter(({ type }) => type !== undefined)

const viewOf = async (url: string, runId: string): Promise<View> =>
  (await (await fetch(`${url}/api/runs/${runId}`)).json()) as View

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe.skipIf(!HAS_POSTGRES)(`troupe worker${POSTGRES_NOTE}`, { timeout: 120_000 }, () => {
  it(`a run that one server started is followed on another while the first is killed, decided there, and ends on a worker ${verifies('C12')}`, async () => {
    const { path, store } = await openCluster()
    const words = ['.', ...store, '--executor', 'dbos']
    const [first, second] = await Promise.all([serveFolder(path, ...words), serveFolder(path, ...words)])
    const killed = await startWorker(path, store)
    const started = await post(`${first.url}/api/runs`, { q: 'Go.' })
    expect(started.status).toBe(202)
    const { runId } = (await started.json()) as { readonly runId: string }
    const following = fetch(`${second.url}/api/runs/${runId}/events`).then((response) => response.text())
    first.program.process.kill('SIGKILL')
    await expect.poll(async () => (await viewOf(second.url, runId)).approvals.length, PATIENT).toBe(2)
    await expect.poll(async () => (await viewOf(second.url, runId)).state, PATIENT).toBe('waiting')
    killed.process.kill('SIGKILL')
    await startWorker(path, store)
    for (const { approvalId } of (await viewOf(second.url, runId)).approvals) {
      const decided = await post(
        `${second.url}/api/runs/${runId}/approvals/${encodeURIComponent(approvalId)}`,
        { decision: 'approved' },
      )
      expect(decided.ok).toBe(true)
    }
    await expect
      .poll(() => viewOf(second.url, runId), PATIENT)
      .toMatchObject({ state: 'completed', output: { text: 'All sent.' } })
    const events = eventsOf(await following).filter(({ seq }) => seq !== undefined)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.at(-1)).toMatchObject({ type: 'run-end', runId, outcome: 'completed' })
  })

  it(`clients that stream a run of a server with workers receive the text before its turn ends, on each server ${verifies('C12')}`, async () => {
    const { path, store } = await openCluster(TEXT_TEAM)
    const words = ['.', ...store, '--executor', 'dbos']
    const [first, second] = await Promise.all([serveFolder(path, ...words), serveFolder(path, ...words)])
    await startWorker(path, store)
    const answer = await fetch(`${first.url}/v1/Lead?q=Go.`, { headers: { accept: 'text/event-stream' } })
    const started = await post(`${first.url}/api/runs`, { q: 'Go.' })
    const { runId } = (await started.json()) as { readonly runId: string }
    const streams = await Promise.all([
      Promise.resolve(answer),
      fetch(`${second.url}/api/runs/${answer.headers.get('troupe-run-id')}/events`),
      fetch(`${first.url}/api/runs/${runId}/events`),
      fetch(`${second.url}/api/runs/${runId}/events`),
    ])
    for (const stream of await Promise.all(streams.map((response) => response.text()))) {
      const events = eventsOf(stream)
      const ofTurn = events.slice(
        0,
        events.findIndex(({ type }) => type === 'usage'),
      )
      expect(ofTurn.map(({ type }) => type)).toContain('text-end')
      const deltas = ofTurn.flatMap((event) => (event.type === 'text-delta' ? event.text : []))
      expect(deltas.join('')).toBe(ANSWER)
    }
  })

  it('`troupe run --executor dbos` prints the answer of a worker, and `troupe top` lists queues and workers', async () => {
    const { path, store } = await openCluster()
    const worker = await startWorker(path, [...store, '--slots', '2'])
    const executor = ['--executor', 'dbos', '--priority', '500']
    const run = startProgram(['run', 'lead.md', 'Go.', ...store, ...executor, '--wait'], path)
    expect(await run.ends()).toEqual([6, null])
    const top = startProgram(['top', ...store, '--json'], path)
    expect(await top.ends()).toEqual([0, null])
    expect(JSON.parse(top.out())).toMatchObject({
      queues: [
        { depth: 0, queued: 0, waiting: 1 },
        { depth: 1, queued: 0, waiting: 2 },
      ],
      workers: [{ slots: 2 }],
      runs: [{ agent: 'Lead', state: 'waiting', openRuns: 3 }],
    })
    worker.process.kill('SIGTERM')
    expect(await worker.ends()).toEqual([143, null])
  })

  it('GET /metrics of a server with `--executor dbos` has the workers and the limits of their queues', async () => {
    const { path, store } = await openCluster()
    await startWorker(path, [...store, '--slots', '2', '--max-runs', '7'])
    const { url } = await serveFolder(path, '.', ...store, '--executor', 'dbos')
    const scrape = async (): Promise<string> => (await fetch(`${url}/metrics`)).text()
    await expect.poll(scrape, PATIENT).toContain('troupe_workers 1\n')
    const text = await scrape()
    expect(text).toContain('troupe_workers_readable 1\n')
    expect(text).toContain('troupe_worker_slots 2\n')
    expect(text).toContain('troupe_queue_runs_limit{depth="3"} 7\n')
    expect(text).toContain('troupe_queue_runs_queued{depth="0"} 0\n')
  })

  it('`--executor dbos` requires a store in PostgreSQL', async () => {
    const { code, err } = await troupe(['run', 'lead.md', 'Go.', '--executor', 'dbos'], TEAM)
    expect(code).toBe(2)
    expect(err()).toContain('Workers need a store in PostgreSQL.')
  })

  it('`--priority` requires workers', async () => {
    const { code, err } = await troupe(['run', 'lead.md', 'Go.', '--priority', '500'], TEAM)
    expect(code).toBe(2)
    expect(err()).toContain('--priority works only on workers.')
  })
})

const PATIENT = { timeout: 30_000 }
