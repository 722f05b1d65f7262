import { defineAgent, defineTool } from '@troupe/schema'
import { openSqliteStore, type SqliteStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { tempProject } from '@troupe/testkit/internal'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { PARROT, serveTeam } from './support/serve-team.ts'

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
}

async function open(path: string): Promise<SqliteStore> {
  const writer = { token: randomUUID(), pid: process.pid, host: 'here', isAlive: () => true }
  const store = await openSqliteStore({ path, clock: SYSTEM_CLOCK, random: Math.random, writer })
  onTestFinished(() => store.close())
  return store
}

it('a JSON answer of any depth breaks neither the server nor the next server on its store', async () => {
  const project = await tempProject()
  onTestFinished(() => project.remove())
  const path = join(project.path, 'runs.db')
  const store = await open(path)
  const first = await serveTeam({ cards: [PARROT], store })
  for (const levels of [3000, 4000, 20_000, 100_000]) {
    const response = await fetch(`${first.url}/v1/Parrot`, {
      method: 'POST',
      body: JSON.stringify({ q: nested(levels), schema: { type: 'object' }, format: 'json' }),
      headers: { 'content-type': 'application/json', accept: 'application/json' },
    })
    expect(await response.json()).toMatchObject({ error: { code: 'output_schema_mismatch' } })
  }
  expect((await fetch(`${first.url}/api/runs`)).status).toBe(200)
  await first.server.close()
  await store.close()
  const again = await serveTeam({ cards: [PARROT], store: await open(path) })
  const { runs } = (await (await fetch(`${again.url}/api/runs`)).json()) as {
    readonly runs: readonly object[]
  }
  expect(runs).toHaveLength(4)
  expect(runs).toMatchObject(runs.map(() => ({ agent: 'Parrot', state: 'failed' })))
  expect(await (await fetch(`${again.url}/v1/Parrot?q=Hi`)).text()).toBe('Hi')
})

it('a tool call with arguments of 20,000 levels is rejected, and its run is stored and returned', async () => {
  const project = await tempProject()
  onTestFinished(() => project.remove())
  let calls = 0
  const execute = (): string => `call ${(calls += 1)}`
  const act = defineTool({ name: 'act', description: 'Acts.', input: { type: 'object' }, execute })
  const one = defineAgent({
    name: 'One',
    description: 'Acts.',
    instruction: 'Act.',
    model: 'test/one',
    functionTools: [act],
  })
  const model = scriptedModel([
    { calls: [{ tool: 'act', args: nested(20_000) }] },
    { text: 'It is refused.' },
  ])
  const store = await open(join(project.path, 'runs.db'))
  const { url } = await serveTeam({ cards: [one], models: { one: model }, store })
  const response = await fetch(`${url}/v1/One?q=Hi`)
  expect([response.status, await response.text(), calls]).toEqual([200, 'It is refused.', 0])
})
