import { defineAgent, defineTool, type RunReport } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import {
  startFakeAnthropic,
  startFakeGoogle,
  startFakeOllama,
  startFakeOpenAI,
  type FakeAnswer,
  type FakeProvider,
} from '@troupe/testkit'
import { createHost } from '../../src/index.ts'

/** A possible outcome of one turn of a conversation. */
export const TURNS = [
  'answers',
  'calls, then answers',
  'answers with nothing',
  'is refused',
  'calls, then is refused',
  'is cancelled in a call',
  'is cancelled while the model thinks',
  'uses up its turns',
  'is interrupted in a call',
] as const

/** See {@link TURNS}. */
export type Turn = (typeof TURNS)[number]

/** Providers that refuse what the real ones refuse. */
export const STRICT = {
  anthropic: { start: startFakeAnthropic, key: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_BASE_URL' },
  google: { start: startFakeGoogle, key: 'GOOGLE_GENERATIVE_AI_API_KEY', url: 'GOOGLE_BASE_URL' },
  openai: { start: startFakeOpenAI, key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' },
  ollama: { start: startFakeOllama, key: undefined, url: 'OLLAMA_BASE_URL' },
} as const

/** A conversation that takes such turns with a strict provider. */
export interface FaultyChat {
  take(turn: Turn): Promise<RunReport>
  /** Requests that were refused for what stands in them. */
  readonly refused: number
  /** The messages of the last request. */
  readonly lastBody: string
  close(): Promise<void>
}

/** Opens one. The agent has two tools: `look` answers, `hang` never does. */
export async function openFaultyChat(
  provider: keyof typeof STRICT,
  { store }: { readonly store?: RunStore | undefined } = {},
): Promise<FaultyChat> {
  const { start, key, url } = STRICT[provider]
  let stop = new AbortController()
  let answers: readonly FakeAnswer[] = []
  let next = 0
  let answered = 0
  const fake: FakeProvider = await start({
    answers: () => {
      answered += 1
      const answer = answers[next++] ?? { text: 'over' }
      if (answer.until !== undefined) setImmediate(() => stop.abort())
      return answer
    },
  })
  const host = await createHost({
    cards: [agentOf(provider, () => stop.abort())],
    config: false,
    cwd: import.meta.dirname,
    env: { [url]: fake.baseURL, ...(key === undefined ? {} : { [key]: 'key' }) },
    ...(store === undefined ? {} : { store }),
  })
  return {
    async take(turn) {
      stop = new AbortController()
      answers = ANSWERS[turn]
      next = 0
      const resumable = turn === 'is interrupted in a call'
      return host.run('Talker', `Now it ${turn}.`, { sessionId: 'chat', signal: stop.signal, resumable })
    },
    get refused() {
      return fake.requests.length - answered
    },
    get lastBody() {
      return JSON.stringify(fake.requests.at(-1)?.body)
    },
    async close() {
      await host.close()
      await fake.close()
    },
  }
}

const LOOK = { name: 'look', args: { at: 'it' } }
const HANG = { name: 'hang', args: { at: 'it' } }

const ANSWERS: Readonly<Record<Turn, readonly FakeAnswer[]>> = {
  answers: [{ text: 'It is so.' }],
  'calls, then answers': [{ text: 'Let me look.', calls: [LOOK, LOOK] }, { text: 'It is seen.' }],
  'answers with nothing': [{ text: '' }],
  'is refused': [{ status: 400, message: 'no' }],
  'calls, then is refused': [{ calls: [LOOK] }, { status: 400, message: 'no' }],
  'is cancelled in a call': [{ text: 'Both:', calls: [LOOK, HANG] }],
  'is cancelled while the model thinks': [{ calls: [LOOK] }, { until: new Promise(() => undefined) }],
  'uses up its turns': [
    { calls: [LOOK] },
    { calls: [LOOK] },
    { calls: [LOOK] },
    { calls: [LOOK] },
    { text: '' },
  ],
  'is interrupted in a call': [{ calls: [HANG] }],
}

function agentOf(provider: string, onHang: () => void): ReturnType<typeof defineAgent> {
  const parameters = {
    type: 'object',
    properties: { at: { type: 'string' } },
    required: ['at'],
  } as const
  return defineAgent({
    name: 'Talker',
    instruction: 'Talk.',
    model: `${provider}/some-model`,
    limits: { maxTurns: 3, maxRetries: 0 },
    functionTools: [
      defineTool({ name: 'look', description: 'Looks.', input: parameters, execute: () => 'seen' }),
      defineTool({
        name: 'hang',
        description: 'Hangs.',
        input: parameters,
        execute: () => {
          setImmediate(onHang)
          return new Promise(() => undefined)
        },
      }),
    ],
  })
}
