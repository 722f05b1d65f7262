import { createHost, type Host } from '@troupe/host'
import { defineAgent, type RunReport } from '@troupe/schema'
import { startFakeOpenAI, type FakeAnswers, type FakeProvider } from '@troupe/testkit'
import { fakeClock, recordEvents, type FakeClock } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'

const DOWN = { status: 500, message: 'down' }
const OPEN_MS = 5000

interface World {
  readonly fake: FakeProvider
  readonly clock: FakeClock
  readonly host: Host
  /** The warnings of all runs, with the names of their agents. */
  readonly warned: string[]
  run(name: string): Promise<RunReport>
}

/** Creates two agents that call one provider over real connections, with a stopped clock. */
async function open(answers: FakeAnswers, maxRetries: number): Promise<World> {
  const fake = await startFakeOpenAI({ answers })
  onTestFinished(() => fake.close())
  const clock = fakeClock()
  const agent = { instruction: 'Speak.', model: 'openai/any', limits: { maxRetries } }
  const host = await createHost({
    cards: ['A', 'B'].map((name) => defineAgent({ name, description: 'Speaks.', ...agent })),
    cwd: '/',
    config: { providers: { openai: { baseURL: fake.baseURL } } },
    env: { OPENAI_API_KEY: 'key-one-two' },
    clock,
    random: () => 0,
  })
  onTestFinished(() => host.close())
  const warned: string[] = []
  const run = async (name: string): Promise<RunReport> => {
    const record = recordEvents()
    const report = await host.run(name, 'hello', { onEvent: record.listener })
    warned.push(...record.of('warning').map(({ code }) => `${name} ${code}`))
    return report
  }
  return { fake, clock, host, warned, run }
}

describe('a provider that is down', () => {
  it('a failing provider receives no calls for a while, which is reported, and all calls again after two successful probes', async () => {
    let isUp = false
    const { fake, clock, warned, run } = await open(() => (isUp ? { text: 'back' } : DOWN), 0)
    for (let failures = 1; failures <= 10; failures += 1)
      expect((await run(failures % 2 === 0 ? 'A' : 'B')).error?.code).toBe('model_overloaded')
    expect(warned).toEqual(['A model_unavailable'])

    isUp = true
    const waiting = run('B')
    await clock.advance(OPEN_MS - 1)
    expect(fake.requests).toHaveLength(10)
    await clock.advance(1)
    expect(await waiting).toMatchObject({ outcome: 'completed', output: { text: 'back' } })
    expect((await run('A')).outcome).toBe('completed')
    expect(warned).toEqual(['A model_unavailable', 'B model_waits', 'A model_available'])
    expect((await run('A')).outcome).toBe('completed')
    expect(fake.requests).toHaveLength(13)
  })

  it('a failing provider fails no waiting call that has retries left', async () => {
    let isUp = false
    const { fake, clock, run } = await open(() => (isUp ? { text: 'back' } : DOWN), 4)
    const first = [run('A'), run('B')]
    await settled(first, clock)
    // the ten attempts of these opened the circuit breaker, so the next four wait, and the probes among them fail twice
    const waiting = [run('A'), run('B'), run('A'), run('B')]
    await untilSent(fake, 10 + 3 + 3, clock)
    isUp = true
    const reports = await settled(waiting, clock)
    expect(reports.map(({ outcome }) => outcome)).toEqual([
      'completed',
      'completed',
      'completed',
      'completed',
    ])
  })
})

describe('a provider that refuses a call for a minute', () => {
  it('a retry-after of a minute delays its call, and other calls of the key are answered meanwhile', async () => {
    const refused = { status: 429, message: 'Slow down.', headers: { 'retry-after': '60' } }
    const { clock, run } = await open([refused, { text: 'of B' }, { text: 'of A' }], 1)
    let isOver = false
    const late = run('A').finally(() => (isOver = true))
    await clock.advance(59_000)
    expect((await run('B')).output.text).toBe('of B')
    expect(isOver).toBe(false)
    await clock.advance(1000)
    expect((await late).output.text).toBe('of A')
  })
})

/** Advances time until all work is settled. */
async function settled<T>(work: readonly Promise<T>[], clock: FakeClock): Promise<readonly T[]> {
  const state = { isOver: false }
  const all = Promise.all(work).finally(() => (state.isOver = true))
  while (!state.isOver) await clock.advance(100)
  return all
}

async function untilSent({ requests }: FakeProvider, count: number, clock: FakeClock): Promise<void> {
  while (requests.length < count) await clock.advance(100)
}
