import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { defineAgent, type RunEvent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { deferred } from '@troupe/testkit/internal'
import { HAS_POSTGRES, POSTGRES_NOTE } from '@troupe/testkit/postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newDatabase, openServer, openStore, openWorker } from './support/cluster.ts'

const SECRET = 'canary-4711-canary'

/** A lead and a clerk. The clerk says a secret in pieces, and waits in the middle of it. */
function teamOf(middle: Promise<void> = Promise.resolve()) {
  const clerk = scriptedModel(() => ({
    text: ['The token is canary', `-4711-canary, `, 'as agreed.'],
    wait: middle,
  }))
  const lead = scriptedModel((prompt) =>
    prompt.some(({ role }) => role === 'tool')
      ? { text: ['All ', 'done.'] }
      : { calls: [{ tool: 'agent__Clerk', args: { text: 'Go.' } }] },
  )
  const card = (name: string, fields = {}) =>
    defineAgent({
      name,
      description: 'Works.',
      instruction: 'Work.',
      model: `test/${name}`,
      env: ['CANARY_TOKEN'],
      ...fields,
    })
  return {
    cards: [card('Lead', { agents: ['Clerk'], default: true }), card('Clerk')],
    models: { 'test/Lead': lead, 'test/Clerk': clerk },
    env: { CANARY_TOKEN: SECRET },
  }
}

/** Records what is sent on the channel of the run `root`. */
async function recordChannel(url: string): Promise<readonly string[]> {
  const store = await openStore(url)
  onTestFinished(() => store.close())
  const hash = createHash('sha256').update('root').digest('hex').slice(0, 16)
  const payloads: string[] = []
  await store.listen(`troupe_text_${hash}`, (payload) => payloads.push(payload))
  return payloads
}

const textOf = (events: readonly RunEvent[], agent: string) =>
  events.flatMap((event) => (event.type === 'text-delta' && event.agent === agent ? event.text : [])).join('')

describe.skipIf(!HAS_POSTGRES)(`text events of workers${POSTGRES_NOTE}`, () => {
  it('followers on two servers receive the text of a root and a child run, without secrets', async () => {
    const url = await newDatabase()
    const middle = deferred()
    const team = teamOf(middle.promise)
    await openWorker(url, team)
    const server = await openServer(url, team)
    const other = await openStore(url)
    onTestFinished(() => other.close())
    const payloads = await recordChannel(url)
    const [own, others]: [RunEvent[], RunEvent[]] = [[], []]
    other.follow(
      'root',
      { after: 0, wantsTransient: () => true },
      (event) => others.push(event),
      () => undefined,
    )
    const running = server.run('Lead', 'Go.', { runId: 'root', onEvent: (event) => own.push(event) })
    await expect.poll(() => others.some(({ instance }) => instance === 'Clerk[1]')).toBe(true)
    middle.resolve()
    expect(await running).toMatchObject({ outcome: 'completed', output: { text: 'All done.' } })
    await expect.poll(() => others.at(-1)).toMatchObject({ type: 'run-end', runId: 'root' })
    for (const events of [own, others]) {
      expect(textOf(events, 'Lead')).toBe('All done.')
      expect(textOf(events, 'Clerk')).toBe('The token is [redacted:CANARY_TOKEN], as agreed.')
    }
    expect(payloads.length).toBeGreaterThan(0)
    expect(payloads.join('')).toContain('[redacted:CANARY_TOKEN]')
    expect(payloads.join('')).not.toContain('4711')
  })

  it('a run whose caller wants no deltas sends nothing and does not stream', async () => {
    const url = await newDatabase()
    const team = teamOf()
    await openWorker(url, team)
    const server = await openServer(url, team)
    const payloads = await recordChannel(url)
    const events: RunEvent[] = []
    await server.run('Lead', 'Go.', { runId: 'root', deltas: false, onEvent: (event) => events.push(event) })
    await wait(150)
    expect(payloads).toEqual([])
    expect(events.every(({ seq }) => seq !== undefined)).toBe(true)
  })
})
