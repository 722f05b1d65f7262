import { createHost } from '@troupe/host'
import { defineAgent } from '@troupe/schema'
import { fakeClock, recordEvents, startFakeOpenAI } from '@troupe/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'

const CLOSED_MS = 30_000

describe('a provider that keeps failing', () => {
  it('is left alone, which is told, and asked by one call when its time has come', async () => {
    let isUp = false
    const fake = await startFakeOpenAI({
      answers: () => (isUp ? { text: 'back' } : { status: 500, message: 'down' }),
    })
    onTestFinished(() => fake.close())
    const clock = fakeClock()
    const agent = { instruction: 'Speak.', model: 'openai/any', limits: { maxRetries: 0 } }
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
    const ask = async (name: string) => {
      const record = recordEvents()
      const report = await host.run(name, 'hello', { onEvent: record.listener })
      warned.push(...record.of('warning').map(({ code }) => `${name} ${code}`))
      return report
    }
    for (let failures = 1; failures <= 5; failures += 1)
      expect((await ask(failures % 2 === 1 ? 'A' : 'B')).error?.code).toBe('model_overloaded')
    expect(warned).toEqual(['A model_unavailable'])

    isUp = true
    const waiting = ask('B')
    await clock.advance(CLOSED_MS - 1)
    expect(fake.requests).toHaveLength(5)
    await clock.advance(1)
    expect(await waiting).toMatchObject({ outcome: 'completed', output: { text: 'back' } })
    expect(warned).toEqual(['A model_unavailable', 'B model_waits', 'B model_available'])
    expect((await ask('A')).outcome).toBe('completed')
    expect(fake.requests).toHaveLength(7)
  })
})
