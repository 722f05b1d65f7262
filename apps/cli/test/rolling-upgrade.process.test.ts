import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDatabase, HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { serveFolder } from './serve-folder.ts'
import { startProgram, type Program } from './start-program.ts'
import { project } from './team.ts'

type Served = Awaited<ReturnType<typeof serveFolder>>

const RUNS = Number(process.env['UPGRADE_RUNS'] ?? 5)
const PATIENT = { timeout: 60_000, interval: 200 }

/** A lead whose clerk stamps a file and whose last turn takes a second. `version` changes the card of the lead. */
const teamOf = (version: string): Readonly<Record<string, string>> => ({
  'lead.md': `---\nname: Lead\ndescription: Leads.\nmodel: script/script.yaml\nagents: [clerk.md]\ndefault: true\n---\nLead as in ${version}.\n`,
  'clerk.md':
    '---\nname: Clerk\ndescription: Stamps.\nmodel: script/script.yaml\nfunctionTools: [stamp.mjs:stamp]\n---\nStamp.\n',
  'script.yaml': [
    'agents:',
    '  Lead:',
    "    - call: [{ tool: agent__Clerk, args: { text: '{{input}}' } }]",
    `    - { delay: 1s, say: '${version}' }`,
    '  Clerk:',
    "    - call: [{ tool: stamp, args: { id: '{{input}}' } }]",
    "    - { delay: 1s, say: 'Stamped.' }",
    '',
  ].join('\n'),
  'stamp.mjs': [
    "import { appendFileSync } from 'node:fs'",
    'export function stamp({ id }) {',
    "  appendFileSync(new URL('stamps.txt', import.meta.url), `${id}\\n`)",
    "  return 'ok'",
    '}',
    "stamp.input = { type: 'object', properties: { id: { type: 'string' } } }",
    '',
  ].join('\n'),
})

async function startWorker(folder: string, words: readonly string[]): Promise<Program> {
  const worker = startProgram(['worker', '.', '--slots', '4', ...words], folder)
  await worker.says('takes runs of')
  return worker
}

/** Starts runs in the background. Returns their ids. */
async function startRuns({ url }: Served, prefix: string): Promise<readonly string[]> {
  const responses = await Promise.all(
    Array.from({ length: RUNS }, (_, index) =>
      fetch(`${url}/api/runs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ q: `${prefix}-${index}` }),
      }),
    ),
  )
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 202))
  const bodies = await Promise.all(responses.map((response) => response.json()))
  return bodies.map((body) => (body as { readonly runId: string }).runId)
}

/** Returns how many runs have each answer, or each state if they have not ended. */
async function countAnswers(
  { url }: Served,
  ids: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const id of ids) {
    const view = (await (await fetch(`${url}/api/runs/${id}`)).json()) as {
      readonly state: string
      readonly output?: { readonly text?: string }
    }
    const key = view.state === 'completed' ? (view.output?.text ?? '') : view.state
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

describe.skipIf(!HAS_POSTGRES)(`a rolling upgrade${POSTGRES_NOTE}`, { timeout: 240_000 }, () => {
  it(`no run is lost when servers and workers are replaced while runs are queued and in progress ${verifies('C12')}`, async () => {
    const { path } = await project(teamOf('one'))
    const database = await createDatabase(inject('postgres'))
    onTestFinished(() => database.drop())
    const store = ['--store', database.url]
    const words = ['.', ...store, '--executor', 'dbos']
    const drain = ['--drain-timeout', '500ms']
    const [oldServer, ...oldWorkers] = await Promise.all([
      serveFolder(path, ...words),
      startWorker(path, [...store, ...drain]),
      startWorker(path, [...store, ...drain]),
    ])
    const before = await startRuns(oldServer, 'before')
    const [newServer] = await Promise.all([serveFolder(path, ...words), startWorker(path, store)])
    const after = await startRuns(newServer, 'after')
    oldServer.program.process.kill('SIGTERM')
    for (const worker of oldWorkers) worker.process.kill('SIGTERM')
    expect(await Promise.all(oldWorkers.map((worker) => worker.ends()))).toEqual([
      [143, null],
      [143, null],
    ])
    expect(await oldServer.program.ends()).toEqual([143, null])
    const ids = [...before, ...after]
    await expect.poll(() => countAnswers(newServer, ids), PATIENT).toEqual({ one: 2 * RUNS })
    const stamps = (await readFile(join(path, 'stamps.txt'), 'utf8')).trim().split('\n')
    expect(new Set(stamps).size).toBe(2 * RUNS)
  })

  it(`runs of both versions of a card end while their servers and workers run side by side ${verifies('C12')}`, async () => {
    const [one, two] = await Promise.all([project(teamOf('one')), project(teamOf('two'))])
    const database = await createDatabase(inject('postgres'))
    onTestFinished(() => database.drop())
    const store = ['--store', database.url]
    const words = ['.', ...store, '--executor', 'dbos']
    const [oldServer, oldWorker] = await Promise.all([
      serveFolder(one.path, ...words),
      startWorker(one.path, store),
    ])
    const before = await startRuns(oldServer, 'before')
    const [newServer] = await Promise.all([serveFolder(two.path, ...words), startWorker(two.path, store)])
    const after = await startRuns(newServer, 'after')
    oldServer.program.process.kill('SIGTERM')
    await expect.poll(() => countAnswers(newServer, before), PATIENT).toEqual({ one: RUNS })
    oldWorker.process.kill('SIGTERM')
    expect(await oldWorker.ends()).toEqual([143, null])
    await expect.poll(() => countAnswers(newServer, after), PATIENT).toEqual({ two: RUNS })
  })
})
