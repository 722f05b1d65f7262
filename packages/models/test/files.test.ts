import type { Message } from '@troupe/schema'
import { type FakeProvider } from '@troupe/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { resolveModel } from '../src/index.ts'
import { pingTool } from './drive.ts'
import { PROVIDER_CASES, caseName, contextAt, type ProviderCase } from './fakes.ts'

const PNG = 'iVBORw0KGgo='
const WAV = 'UklGRiQAAABXQVZF'

const fakes: FakeProvider[] = []
afterEach(async () => {
  for (const fake of fakes.splice(0)) await fake.close()
})

const file = (mediaType: string, data: string) =>
  ({ type: 'file', mediaType, data: { type: 'data', data } }) as const

/** A conversation in which two tools of one step returned files. */
const PROMPT: readonly Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
  {
    role: 'assistant',
    content: [
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'ping', input: {} },
      { type: 'tool-call', toolCallId: 'call_2', toolName: 'ping', input: {} },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'call_1',
        toolName: 'ping',
        output: { type: 'content', value: [{ type: 'text', text: 'The page.' }, file('image/png', PNG)] },
      },
      {
        type: 'tool-result',
        toolCallId: 'call_2',
        toolName: 'ping',
        output: { type: 'content', value: [file('audio/wav', WAV)] },
      },
    ],
  },
]

async function bodyOf(provider: ProviderCase, prompt: readonly Message[]): Promise<unknown> {
  const fake = await provider.start({ answers: [{ text: 'ok' }], apiKey: 'key-of-this-session' })
  fakes.push(fake)
  const handle = await resolveModel(provider.id, contextAt(provider, fake, 'key-of-this-session'))
  await handle.open({ agent: 'A', runId: 'r' }).doGenerate({ prompt: [...prompt], tools: [pingTool] })
  return fake.requests[0]?.body
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

describe.each(PROVIDER_CASES.map((provider) => [caseName(provider), provider] as const))(
  'files in the results of tools at %s',
  (_, provider) => {
    it('files in tool results arrive as images, never as base64 in a text', async () => {
      const strings = stringsIn(await bodyOf(provider, PROMPT))
      const pictures = strings.filter((text) => text.includes(PNG))
      expect(pictures).toHaveLength(1)
      expect([PNG, `data:image/png;base64,${PNG}`]).toContain(pictures[0])
    })

    it('files in tool results are sent complete or named as unreadable, never dropped', async () => {
      const strings = stringsIn(await bodyOf(provider, PROMPT))
      const isSent = strings.some((text) => [WAV, `data:audio/wav;base64,${WAV}`].includes(text))
      const isNamed = strings.some((text) => /returned a file of type audio\/wav/u.test(text))
      expect([isSent, isNamed]).toContain(true)
      expect(strings.some((text) => text.includes(WAV))).toBe(isSent)
    })
  },
)

it('an image is in a user message after all results of the step if tool messages are text', async () => {
  const [openai] = PROVIDER_CASES
  if (openai === undefined) throw new Error('no provider')
  expect(await bodyOf(openai, PROMPT)).toMatchObject({
    messages: [
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool', tool_call_id: 'call_1', content: 'The page.\n[image 1 from ping]' },
      { role: 'tool', tool_call_id: 'call_2', content: '[file 2 from ping]' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[image 1 from ping]' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
          { type: 'text', text: '[file 2 from ping]' },
          { type: 'input_audio' },
        ],
      },
    ],
  })
})

it('a user file that the API does not accept fails the call and is not dropped', async () => {
  const ollama = PROVIDER_CASES.find(({ id }) => id.startsWith('ollama/'))
  if (ollama === undefined) throw new Error('no provider')
  const prompt: readonly Message[] = [{ role: 'user', content: [file('application/pdf', 'JVBERi0xLjc=')] }]
  await expect(bodyOf(ollama, prompt)).rejects.toMatchObject({
    code: 'input_invalid',
    message: 'The model ollama/llama3:8b does not accept files of type application/pdf.',
  })
})
