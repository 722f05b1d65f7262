import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { createServer } from '../src/index.ts'
import { PARROT, serveTeam } from './support/serve-team.ts'

it.each([
  ['/v1/Parrot?q=Hi', { error: { class: 'internal', code: 'internal' } }],
  ['/openai/v1/models', { error: { type: 'server_error', code: 'internal' } }],
  ['/anthropic/v1/models', { type: 'error', error: { type: 'api_error' } }],
])('an exception in %s becomes an error of its protocol and is reported', async (path, body) => {
  const { host, store } = await serveTeam({ cards: [PARROT] })
  let isBroken = false
  const told: unknown[] = []
  const broken = new Error('out of order')
  const server = await createServer({
    host: {
      ...host,
      agents() {
        if (isBroken) throw broken
        return host.agents()
      },
    },
    store,
    port: 0,
    without: ['schedules'],
    clock: SYSTEM_CLOCK,
    newId: randomUUID,
    onError: (thrown) => void told.push(thrown),
  })
  onTestFinished(() => server.close())
  isBroken = true
  const response = await fetch(`${server.url}${path}`)
  expect([response.status, await response.json()]).toMatchObject([500, body])
  expect(told).toEqual([broken])
})
