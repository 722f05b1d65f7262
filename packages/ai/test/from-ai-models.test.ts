import { scriptedModel } from '@troupe/testkit'
import {
  createProviderRegistry,
  customProvider,
  defaultSettingsMiddleware,
  wrapLanguageModel,
  type LanguageModelMiddleware,
} from 'ai'
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { fromAiModel, fromAiProvider } from '../src/index.ts'
import { agentA, openHost } from './support/open-host.ts'

const loud: LanguageModelMiddleware = {
  specificationVersion: 'v4',
  wrapStream: async ({ doStream }) => {
    const { stream, ...rest } = await doStream()
    const raise = new TransformStream({
      transform(part, controller) {
        controller.enqueue(part.type === 'text-delta' ? { ...part, delta: part.delta.toUpperCase() } : part)
      },
    })
    return { stream: stream.pipeThrough(raise), ...rest }
  },
}

describe('models of the AI SDK', () => {
  it('a model with middleware is a model of a host', async () => {
    const inner = scriptedModel([{ text: 'quiet' }])
    const settings = defaultSettingsMiddleware({ settings: { temperature: 0.5 } })
    const model = wrapLanguageModel({ model: inner, middleware: [loud, settings] })
    const host = await openHost([agentA()], { 'test/a': model })
    expect((await host.run('A', 'go')).output.text).toBe('QUIET')
    expect(inner.calls[0]?.options.temperature).toBe(0.5)
  })

  it('cards name the models of a registry by their IDs', async () => {
    const fast = scriptedModel([{ text: 'fast' }])
    const registry = createProviderRegistry({ mine: customProvider({ languageModels: { fast } }) })
    const models = fromAiProvider(registry, ['mine:fast'])
    expect(Object.keys(models)).toEqual(['mine:fast'])
    const host = await openHost([agentA({ model: 'mine:fast' })], models)
    expect(host.plan().problems).toEqual([])
    expect((await host.run('A', 'go')).output.text).toBe('fast')
  })

  it('an ID that the registry does not know is refused', () => {
    const registry = createProviderRegistry({ mine: customProvider({ languageModels: {} }) })
    expect(() => fromAiProvider(registry, ['mine:slow'])).toThrow(/mine:slow|slow/u)
  })

  it('a model of the provider specification v3 is converted', async () => {
    const model = new MockLanguageModelV3({
      doStream: {
        stream: simulateReadableStream({
          chunks: [
            { type: 'stream-start', warnings: [] },
            { type: 'text-start', id: '1' },
            { type: 'text-delta', id: '1', delta: 'of v3' },
            { type: 'text-end', id: '1' },
            {
              type: 'finish',
              finishReason: { unified: 'stop', raw: 'stop' },
              usage: {
                inputTokens: { total: 7, noCache: 7, cacheRead: 0, cacheWrite: 0 },
                outputTokens: { total: 3, text: 3, reasoning: 0 },
              },
            },
          ],
        }),
      },
    })
    const host = await openHost([agentA()], { 'test/a': fromAiModel(model) })
    const report = await host.run('A', 'go')
    expect(report.output.text).toBe('of v3')
    expect(report.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 })
  })

  it('a model of the provider specification v2 is converted', async () => {
    const model = {
      specificationVersion: 'v2',
      provider: 'old',
      modelId: 'old',
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error('not used')),
      doStream: () =>
        Promise.resolve({
          stream: simulateReadableStream({
            chunks: [
              { type: 'stream-start', warnings: [] },
              { type: 'text-start', id: '1' },
              { type: 'text-delta', id: '1', delta: 'of v2' },
              { type: 'text-end', id: '1' },
              {
                type: 'finish',
                finishReason: 'stop',
                usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 },
              },
            ],
          }),
        }),
    } as const
    const host = await openHost([agentA()], { 'test/a': fromAiModel(model as never) })
    const report = await host.run('A', 'go')
    expect(report.output.text).toBe('of v2')
    expect(report.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 })
  })

  it('a model of an older specification is refused with the way to convert it', async () => {
    const model = new MockLanguageModelV3()
    const host = await openHost([agentA()], { 'test/a': model as never })
    expect((await host.run('A', 'go')).error).toMatchObject({
      code: 'model_unknown',
      remediation: expect.stringContaining('fromAiModel'),
    })
  })

  it('the name of a model is refused, so that nothing is sent to the gateway', () => {
    expect(() => fromAiModel('openai/gpt-5')).toThrow('"openai/gpt-5" is the name of a model, not a model.')
  })
})
