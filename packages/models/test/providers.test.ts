import { userMessage } from '@troupe/schema'
import { type FakeAnswer, type FakeProvider } from '@troupe/testkit'
import { verifies } from '@troupe/testkit/internal'
import { afterEach, describe, expect, it } from 'vitest'
import { resolveModel, type ModelContext } from '../src/index.ts'
import { loop, pingTool, stream, timeTool } from './drive.ts'
import { PROVIDER_CASES, TOOLLESS_CASE, caseName, contextAt, type ProviderCase } from './fakes.ts'

const fakes: FakeProvider[] = []
afterEach(async () => {
  for (const fake of fakes.splice(0)) await fake.close()
})

async function start(
  provider: ProviderCase,
  answers: readonly FakeAnswer[],
): Promise<{ readonly fake: FakeProvider; readonly context: ModelContext }> {
  const fake = await provider.start({ answers, apiKey: 'key-of-this-session' })
  fakes.push(fake)
  return { fake, context: contextAt(provider, fake, 'key-of-this-session') }
}

const twoCalls: FakeAnswer = {
  text: 'Let me look.',
  calls: [
    { name: 'agent__Time', args: { city: 'Rome' } },
    { name: 'agent__Time', args: { city: 'Oslo' } },
  ],
  usage: { input: 20, output: 9 },
}

describe.each(PROVIDER_CASES.map((provider) => [caseName(provider), provider] as const))(
  '%s',
  (_, provider) => {
    it(`the adapter streams two turns with two parallel tool calls ${verifies('C34')}`, async () => {
      const { fake, context } = await start(provider, [
        twoCalls,
        { text: 'Rome noon, Oslo noon.', usage: { input: 40, output: 6 } },
      ])
      const model = (await resolveModel(provider.id, context)).open({ agent: 'A', runId: 'r' })

      const [first, second] = await loop(model, {
        prompt: [{ role: 'system', content: 'Be brief.' }, userMessage('What time is it?')],
        tools: [timeTool, pingTool],
        maxOutputTokens: 500,
        answer: (args) => `noon for ${JSON.stringify(args)}`,
      })

      expect(model.specificationVersion).toBe('v4')
      expect(first?.text).toBe('Let me look.')
      expect(first?.calls.map(({ name, args }) => ({ name, args }))).toEqual(twoCalls.calls)
      expect(first?.finish.finishReason.unified).toBe('tool-calls')
      expect(first?.finish.usage.inputTokens.total).toBe(20)
      expect(first?.finish.usage.outputTokens.total).toBe(9)
      expect(second?.text).toBe('Rome noon, Oslo noon.')
      expect(second?.finish.finishReason.unified).toBe('stop')
      expect(second?.finish.usage.inputTokens.total).toBe(40)
      expect(fake.requests).toHaveLength(2)
      const secondBody = JSON.stringify(fake.requests[1]?.body)
      expect(secondBody.indexOf('Rome')).toBeLessThan(secondBody.lastIndexOf('Oslo'))
    })
  },
)

describe.each([...PROVIDER_CASES, TOOLLESS_CASE].map((provider) => [caseName(provider), provider] as const))(
  '%s',
  (_, provider) => {
    it('the adapter also answers without streaming', async () => {
      const { context } = await start(provider, [{ text: 'done', usage: { input: 3, output: 1 } }])
      const model = (await resolveModel(provider.id, context)).open({ agent: 'A', runId: 'r' })

      const result = await model.doGenerate({ prompt: [userMessage('hello')] })

      expect(result.content).toMatchObject([{ type: 'text', text: 'done' }])
      expect(result.usage.outputTokens.total).toBe(1)
    })

    it('the adapter requests JSON of a schema', async () => {
      const { fake, context } = await start(provider, [{ text: '{"city":"Rome"}' }])
      const model = (await resolveModel(provider.id, context)).open({ agent: 'A', runId: 'r' })

      const turn = await stream(model, {
        responseFormat: {
          type: 'json',
          name: 'place',
          schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
            additionalProperties: false,
          },
        },
      })

      expect(JSON.parse(turn.text)).toEqual({ city: 'Rome' })
      expect(turn.parts.find((part) => part.type === 'stream-start')).toMatchObject({ warnings: [] })
      expect(JSON.stringify(fake.requests[0]?.body)).toContain('"city"')
    })

    it('the adapter sends the settings of the call', async () => {
      const { fake, context } = await start(provider, [{ text: 'ok' }])
      const model = (await resolveModel(provider.id, context)).open({ agent: 'A', runId: 'r' })

      await stream(model, { maxOutputTokens: 321 })

      const sent = JSON.stringify(fake.requests[0]?.body)
      expect(sent).toMatch(
        provider.id.startsWith('ollama/') ? /"options":\{"num_predict":321\}/u : /"max\w+":321/iu,
      )
    })
  },
)

/** Providers whose API sends the arguments of a call as text; in the others they are an object. */
const TEXT_ARGUMENTS = PROVIDER_CASES.filter(({ id }) => !/^(?:google|ollama)\//u.test(id))

describe.each(TEXT_ARGUMENTS.map((provider) => [caseName(provider), provider] as const))(
  'truncated arguments of a tool call from %s',
  (_, provider) => {
    it.each([
      ['in several chunks', false],
      ['in the chunk that names the tool', true],
    ])('truncated arguments reach the loop as they were sent, %s', async (_how, inOneChunk) => {
      const cut = '{"folder":"/tmp/x","only_em'
      const calls = [
        { name: 'agent__Time', args: cut, inOneChunk },
        { name: 'agent__Time', args: { city: 'Oslo' } },
      ]
      const { context } = await start(provider, [{ calls }])
      const model = (await resolveModel(provider.id, context)).open({ agent: 'A', runId: 'r' })
      const { stream: parts } = await model.doStream({ prompt: [userMessage('hello')], tools: [timeTool] })
      const inputs: string[] = []
      for await (const part of parts) {
        expect(part.type).not.toBe('raw')
        if (part.type === 'tool-call') inputs.push(part.input)
      }
      expect(inputs.toSorted()).toEqual(['{"city":"Oslo"}', cut])
    })
  },
)
