import { defineAgent, troupeError } from '@troupe/schema'
import { deferred, settle, verifies } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { preloadAgents } from '../src/index.ts'

const agents = ['A', 'B', 'C', 'D'].map((name) => defineAgent({ name, instruction: 'Help.' }))

it(`preloadAgents checks all agents with limited concurrency and returns every problem in order ${verifies('C80')}`, async () => {
  const gates = new Map(agents.map(({ name }) => [name, deferred()]))
  const started: string[] = []
  const loading = preloadAgents(
    agents,
    async ({ name }) => {
      started.push(name)
      await gates.get(name)?.promise
      return name === 'C' ? [] : [`${name} is wrong`]
    },
    { concurrency: 2 },
  )
  await settle()
  expect(started).toEqual(['A', 'B'])
  gates.get('B')?.resolve()
  await settle()
  expect(started).toEqual(['A', 'B', 'C'])
  for (const gate of gates.values()) gate.resolve()
  expect(await loading).toEqual(['A is wrong', 'B is wrong', 'D is wrong'])
})

it('preloadAgents rejects with the error of a check', async () => {
  const thrown = troupeError('internal', 'broken')
  await expect(preloadAgents(agents, () => Promise.reject(thrown))).rejects.toBe(thrown)
})
