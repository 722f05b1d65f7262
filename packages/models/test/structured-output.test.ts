import type { JsonObject } from '@troupe/schema'
import { userMessage, type LanguageModel } from '@troupe/schema'
import {
  startFakeAnthropic,
  startFakeGoogle,
  startFakeOllama,
  startFakeOpenAI,
  type FakeAnswer,
  type FakeProvider,
  type FakeProviderOptions,
} from '@troupe/testkit'
import { verifies } from '@troupe/testkit/internal'
import { afterEach, describe, expect, it } from 'vitest'
import { resolveModel, type ProviderConfig } from '../src/index.ts'
import { contextOf } from './context.ts'
import { stream, timeTool } from './drive.ts'

const PLACE: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 1 } },
  required: ['city'],
}
const OPTIONAL: JsonObject = { type: 'object', properties: { city: { type: 'string' } } }
const LIST: JsonObject = { type: 'array', items: { type: 'string' } }

const fakes: FakeProvider[] = []
afterEach(async () => {
  for (const fake of fakes.splice(0)) await fake.close()
})

const STARTERS: Readonly<Record<string, (options: FakeProviderOptions) => Promise<FakeProvider>>> = {
  anthropic: startFakeAnthropic,
  google: startFakeGoogle,
  ollama: startFakeOllama,
}

async function open(
  id: string,
  answers: readonly FakeAnswer[],
  config: ProviderConfig = {},
): Promise<{ readonly model: LanguageModel; readonly bodies: () => readonly JsonObject[] }> {
  const provider = id.slice(0, id.indexOf('/'))
  const fake = await (STARTERS[provider] ?? startFakeOpenAI)({ answers })
  fakes.push(fake)
  const providers = { [provider]: { ...config, apiKey: 'key', baseURL: fake.baseURL } }
  const handle = await resolveModel(id, contextOf({}, { providers }))
  return {
    model: handle.open({ agent: 'A', runId: 'r' }),
    bodies: () => fake.requests.map(({ body }) => body as JsonObject),
  }
}

function answer(model: LanguageModel, schema: JsonObject, options: Parameters<typeof stream>[1] = {}) {
  return stream(model, { ...options, responseFormat: { type: 'json', schema: schema } })
}

const native: FakeAnswer = { text: '{"city":"Rome"}' }
const byTool: FakeAnswer = { calls: [{ name: 'final_answer', args: { city: 'Rome' } }] }

describe(`structured output in the mode of the provider ${verifies('C25', 'C34')}`, () => {
  it('structured output at OpenAI is strict, without the keywords that strict mode refuses', async () => {
    const { model, bodies } = await open('openai/gpt-5-mini', [native])
    expect((await answer(model, PLACE, { tools: [timeTool] })).text).toBe('{"city":"Rome"}')
    expect(bodies()).toMatchObject([
      {
        response_format: {
          type: 'json_schema',
          json_schema: {
            strict: true,
            schema: { properties: { city: { type: 'string' } }, additionalProperties: false },
          },
        },
      },
    ])
    expect(JSON.stringify(bodies())).not.toContain('minLength')
  })

  it.each([
    ['openai/gpt-5-mini', 'chat'],
    ['openai/gpt-5-mini', 'responses'],
    ['openai-compatible/local', 'chat'],
  ] as const)(
    'structured output is not strict at %s (%s) if the schema has optional parts',
    async (id, api) => {
      const { model, bodies } = await open(id, [native], { api })
      await answer(model, OPTIONAL)
      expect(JSON.stringify(bodies())).toContain('"strict":false')
    },
  )

  it('structured output is output_config at Anthropic and responseJsonSchema at Google', async () => {
    const claude = await open('anthropic/claude-sonnet-4-5', [native])
    await answer(claude.model, PLACE, { tools: [timeTool] })
    expect(claude.bodies()).toMatchObject([{ output_config: { format: { type: 'json_schema' } } }])
    const gemini = await open('google/gemini-2.5-flash', [native])
    await answer(gemini.model, PLACE)
    expect(gemini.bodies()).toMatchObject([
      { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: { type: 'object' } } },
    ])
  })

  it('structured output is the format parameter of Ollama', async () => {
    const { model, bodies } = await open('ollama/llama3', [native])
    await answer(model, PLACE)
    expect(bodies()).toMatchObject([{ format: PLACE }])
  })
})

describe('structured output as the arguments of a final tool call', () => {
  it.each([
    'openai/gpt-4-turbo',
    'anthropic/claude-3-5-haiku-latest',
    'google/gemini-2.5-flash',
    'ollama/llama3',
  ])('the final tool is used by %s beside tools, and its arguments are the answer text', async (id) => {
    const { model, bodies } = await open(id, [byTool])
    const turn = await answer(model, PLACE, { tools: [timeTool] })
    expect(JSON.parse(turn.text)).toEqual({ city: 'Rome' })
    expect(turn.calls).toEqual([])
    expect(turn.finish.finishReason.unified).toBe('stop')
    const sent = JSON.stringify(bodies())
    expect(sent).toContain('final_answer')
    expect(sent).not.toMatch(/"response_format"|"responseMimeType"|"format":\{/u)
  })

  it('the final tool of OpenAI wraps a schema that is not an object', async () => {
    const call: FakeAnswer = { calls: [{ name: 'final_answer', args: { value: ['Rome'] } }] }
    const { model, bodies } = await open('openai/gpt-5-mini', [call])
    expect((await answer(model, LIST)).text).toBe('["Rome"]')
    expect(bodies()).toMatchObject([
      {
        tool_choice: { type: 'function', function: { name: 'final_answer' } },
        tools: [{ function: { parameters: { properties: { value: LIST }, required: ['value'] } } }],
      },
    ])
  })

  it('the text beside the final tool call is removed', async () => {
    const { model } = await open('openai/gpt-4-turbo', [{ text: 'Here you are:', ...byTool }])
    expect((await answer(model, PLACE)).text).toBe('{"city":"Rome"}')
  })

  it('the final tool call does not end the run beside other calls, whose results it cannot know', async () => {
    const both: FakeAnswer = {
      calls: [{ name: 'agent__Time', args: { city: 'Rome' } }, ...(byTool.calls ?? [])],
    }
    const { model } = await open('openai/gpt-4-turbo', [both])
    const turn = await answer(model, PLACE, { tools: [timeTool] })
    expect(turn).toMatchObject({ text: '', calls: [{ name: 'agent__Time' }] })
    expect(turn.finish.finishReason.unified).toBe('tool-calls')
  })

  it('the final tool is the only tool if no tool may be called', async () => {
    const { model, bodies } = await open('openai/gpt-4-turbo', [byTool])
    await answer(model, PLACE, { tools: [timeTool], toolChoice: { type: 'none' } })
    expect(bodies()).toMatchObject([{ tool_choice: { function: { name: 'final_answer' } } }])
  })

  it('the final tool is renamed if another tool has its name', async () => {
    const { model, bodies } = await open('openai/gpt-4-turbo', [{ text: '{}' }])
    await answer(model, PLACE, { tools: [{ ...timeTool, name: 'final_answer' }] })
    expect(bodies()).toMatchObject([
      { tools: [{ function: { name: 'final_answer' } }, { function: { name: 'final_answer_2' } }] },
    ])
  })

  it('the final tool also works without streaming', async () => {
    const { model } = await open('openai/gpt-4-turbo', [byTool])
    const { content } = await model.doGenerate({
      prompt: [userMessage('hello')],
      responseFormat: { type: 'json', schema: PLACE },
    })
    expect(content).toEqual([{ type: 'text', text: '{"city":"Rome"}' }])
  })

  it.each(['openai/gpt-5-mini?structured=tool', 'openai/gpt-5-mini?structured=tool_use'])(
    'the final tool is requested by %s, and by the configuration',
    async (id) => {
      const { model, bodies } = await open(id, [byTool])
      await answer(model, PLACE)
      expect(JSON.stringify(bodies())).toContain('final_answer')
      const configured = await open('openai/gpt-5-mini', [byTool], {
        models: { 'gpt-5-mini': { structured: 'tool' } },
      })
      await answer(configured.model, PLACE)
      expect(JSON.stringify(configured.bodies())).toContain('final_answer')
    },
  )
})
