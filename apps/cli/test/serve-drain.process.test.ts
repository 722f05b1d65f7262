import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { serveFolder } from './serve-folder.ts'
import { project, troupe } from './team.ts'

const PATIENT = { timeout: 20_000 }

/** Returns an agent with a tool that appends `start` to a file, waits until another file exists, and appends `done`. */
const team = (effect: 'once' | 'read', limits: object = {}): Readonly<Record<string, string>> => ({
  'one.md':
    '---\nname: One\ndescription: one\nmodel: script/script.yaml\nfunctionTools: [pay.mjs:pay]\n---\nPay.\n',
  'script.yaml': [
    'agents:',
    '  One:',
    '    - call: [{ tool: pay }]',
    "    - say: 'It is {{results.0.text}}.'",
    '',
  ].join('\n'),
  'pay.mjs': [
    "import { appendFileSync, existsSync } from 'node:fs'",
    'const at = (name) => new URL(name, import.meta.url)',
    'export async function pay() {',
    "  appendFileSync(at('log.txt'), 'start\\n')",
    "  while (!existsSync(at('gate'))) await new Promise((resolve) => setTimeout(resolve, 20))",
    "  appendFileSync(at('log.txt'), 'done\\n')",
    "  return 'paid'",
    '}',
    "pay.description = 'Pays.'",
    `pay.effect = '${effect}'`,
    '',
  ].join('\n'),
  'troupe.json': JSON.stringify({ server: { limits } }),
})

interface Served {
  readonly url: string
}

const start = async ({ url }: Served): Promise<string> => {
  const answer = await fetch(`${url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"q":"go"}',
  })
  expect(answer.status).toBe(202)
  return ((await answer.json()) as { readonly runId: string }).runId
}

const view = async ({ url }: Served, runId: string): Promise<unknown> =>
  (await fetch(`${url}/api/runs/${runId}`)).json()

const readiness = async ({ url }: Served): Promise<number> => (await fetch(`${url}/readyz`)).status

const logOf = async (folder: string): Promise<readonly string[]> => {
  const log = await readFile(join(folder, 'log.txt'), 'utf8').catch(() => '')
  return log.split('\n').filter((line) => line !== '')
}

const linesOf = async (folder: string, word: string): Promise<number> =>
  (await logOf(folder)).filter((line) => line === word).length

describe('a server with detached runs that gets SIGTERM', () => {
  it('a server that gets SIGTERM lets 40 detached runs with active once calls end before it exits', async () => {
    const { path } = await project(team('once'))
    const first = await serveFolder(path, '.', '--store', 'runs.db')
    const runIds = await Promise.all(Array.from({ length: 40 }, () => start(first)))
    await expect.poll(() => linesOf(path, 'start'), PATIENT).toBe(40)
    first.program.process.kill('SIGTERM')
    await expect.poll(() => readiness(first), PATIENT).toBe(503)
    expect((await fetch(`${first.url}/healthz`)).status).toBe(200)
    await writeFile(join(path, 'gate'), '')
    expect(await first.program.ends()).toEqual([143, null])
    expect(await linesOf(path, 'done')).toBe(40)

    const store = join(path, 'runs.db')
    const { out } = await troupe(['runs', 'list', '--limit', '100', '--json', '--store', store], {})
    const runs = JSON.parse(out()) as readonly { readonly runId: string; readonly state: string }[]
    expect(new Set(runs.map(({ state }) => state))).toEqual(new Set(['completed']))
    expect(runs.map(({ runId }) => runId).toSorted()).toEqual(runIds.toSorted())
  }, 60_000)

  it('a server interrupts a run that exceeds the drain timeout, and the next server completes it', async () => {
    const { path } = await project(team('read', { drainTimeout: '200ms' }))
    const first = await serveFolder(path, '.', '--store', 'runs.db')
    const runId = await start(first)
    await expect.poll(() => linesOf(path, 'start'), PATIENT).toBe(1)
    first.program.process.kill('SIGTERM')
    expect(await first.program.ends()).toEqual([143, null])
    expect(await logOf(path)).toEqual(['start'])
    await writeFile(join(path, 'gate'), '')
    const second = await serveFolder(path, '.', '--store', 'runs.db')
    await expect
      .poll(() => view(second, runId), PATIENT)
      .toMatchObject({ state: 'completed', output: { text: 'It is paid.' } })
  }, 60_000)

  it('a server exits at once at a second SIGTERM and leaves the run interrupted', async () => {
    const { path } = await project(team('read', { drainTimeout: '1h' }))
    const first = await serveFolder(path, '.', '--store', 'runs.db')
    const runId = await start(first)
    await expect.poll(() => linesOf(path, 'start'), PATIENT).toBe(1)
    first.program.process.kill('SIGTERM')
    await expect.poll(() => readiness(first), PATIENT).toBe(503)
    first.program.process.kill('SIGTERM')
    expect(await first.program.ends()).toEqual([143, null])
    await writeFile(join(path, 'gate'), '')
    const second = await serveFolder(path, '.', '--store', 'runs.db')
    await expect.poll(() => view(second, runId), PATIENT).toMatchObject({ state: 'completed' })
  }, 60_000)
})
