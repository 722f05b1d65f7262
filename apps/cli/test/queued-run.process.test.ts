import { expect, it } from 'vitest'
import { serveFolder } from './serve-folder.ts'
import { project } from './team.ts'

const TEAM = {
  'one.md': '---\nname: One\ndescription: one\nmodel: script/script.yaml\n---\nAnswer.\n',
  'script.yaml': "agents:\n  One:\n    - { say: 'Done.', delay: 2s }\n",
  'troupe.json': JSON.stringify({ server: { limits: { maxRuns: 1 } } }),
}

it('runs that were accepted with 202 start after the server was killed with SIGKILL and started again', async () => {
  const { path } = await project(TEAM)
  const words = ['one.md', '--store', 'runs.db']
  const killed = await serveFolder(path, ...words)
  const runIds: string[] = []
  for (const q of ['first', 'second', 'third']) {
    const answer = await fetch(`${killed.url}/api/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ q }),
    })
    expect(answer.status).toBe(202)
    runIds.push(((await answer.json()) as { readonly runId: string }).runId)
  }
  killed.program.process.kill('SIGKILL')
  await killed.program.ends()
  const { url } = await serveFolder(path, ...words)
  const states = (): Promise<readonly unknown[]> =>
    Promise.all(
      runIds.map(async (runId) => {
        const { state, input } = (await (await fetch(`${url}/api/runs/${runId}`)).json()) as Record<
          string,
          unknown
        >
        return [input, state]
      }),
    )
  await expect.poll(states, { timeout: 30_000 }).toEqual([
    ['first', 'completed'],
    ['second', 'completed'],
    ['third', 'completed'],
  ])
}, 60_000)
