import { defineAgent } from '@troupe/schema'
import { deferred, scriptedModel } from '@troupe/testkit'
import { describe, expect, it } from 'vitest'
import { PARROT, serveTeam, type ServedTeam } from './support/serve-team.ts'

interface SlowTeam extends ServedTeam {
  readonly begun: Promise<void>
  readonly answer: () => void
}

async function slowTeam(
  limits: { readonly drainTimeout?: number; readonly maxRuns?: number; readonly maxQueue?: number } = {},
): Promise<SlowTeam> {
  const begun = deferred()
  const answer = deferred()
  const slow = scriptedModel(() => {
    begun.resolve()
    return { text: 'done', wait: answer.promise }
  })
  const agent = defineAgent({ name: 'Slow', description: 's', instruction: 's', model: 'test/slow' })
  const team = await serveTeam({ cards: [agent, PARROT], models: { slow }, limits })
  return { ...team, begun: begun.promise, answer: () => answer.resolve() }
}

describe('a server that is told to end', () => {
  it('lets runs at work come to their ends, and begins none', async () => {
    const { url, server, begun, answer } = await slowTeam()
    const asked = fetch(`${url}/v1/Slow?q=Hi`)
    await begun
    const closed = server.close()
    await expect(fetch(`${url}/healthz`)).rejects.toThrowError(TypeError)
    answer()
    expect(await (await asked).text()).toBe('done')
    await closed
  })

  it('stops what takes too long', async () => {
    const { url, server, begun } = await slowTeam({ drainTimeout: 20 })
    const asked = fetch(`${url}/v1/Slow?q=Hi`)
    const settled = Promise.allSettled([asked])
    await begun
    await server.close()
    expect(await settled).toMatchObject([{ status: 'rejected' }])
  })
})

describe('runs beyond what the server can do', () => {
  it('wait in order, and are refused where too many wait', async () => {
    const { url, begun, answer } = await slowTeam({ maxRuns: 1, maxQueue: 1 })
    const first = fetch(`${url}/v1/Slow?q=Hi`)
    await begun
    const others = [1, 2].map(() => fetch(`${url}/v1/Parrot?q=Next`))
    const refused = await Promise.race(others)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.json()).toMatchObject({ error: { class: 'limit', code: 'server_busy' } })
    answer()
    expect(await (await first).text()).toBe('done')
    const answered = await Promise.all(others)
    expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([200, 503]))
  })
})
