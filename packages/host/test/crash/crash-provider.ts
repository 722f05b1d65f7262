import type { Json, JsonObject } from '@troupe/schema'
import { startFakeOpenAI, type FakeAnswer, type FakeProvider, type RecordedRequest } from '@troupe/testkit'

/** A provider that outlives the processes which are killed, and counts what it was paid for. */
export interface CrashProvider {
  readonly baseURL: string
  /** Every turn that was asked for, by the input of its run and its number: `Go.#1`. Grows. */
  readonly paid: readonly string[]
  close(): Promise<void>
}

const PLANNER: readonly FakeAnswer[] = [
  {
    text: 'First.',
    calls: [
      { name: 'agent__Worker', args: { text: 'one' } },
      { name: 'agent__Worker', args: { text: 'two' } },
      { name: 'pay', args: {} },
      { name: 'stamp', args: {} },
    ],
  },
  {
    calls: [
      { name: 'look', args: {} },
      { name: 'agent__Worker', args: { text: 'three' } },
    ],
  },
  { text: 'All done.' },
]
const WORKER: readonly FakeAnswer[] = [
  {
    calls: [
      { name: 'look', args: {} },
      { name: 'stamp', args: {} },
    ],
  },
  { text: 'Worked.' },
]
const DELAY_MS = 3

/** Answers by what stands in the request, so that it does not matter which process asks. */
export async function startCrashProvider(): Promise<CrashProvider> {
  const paid: string[] = []
  const provider: FakeProvider = await startFakeOpenAI({
    answers(request) {
      const { input, turn } = placeOf(request)
      paid.push(`${input}#${turn}`)
      const steps = input === 'Go.' ? PLANNER : WORKER
      return { usage: { input: 10, output: 5 }, delayMs: DELAY_MS, ...(steps[turn - 1] ?? { text: 'lost' }) }
    },
  })
  return { baseURL: provider.baseURL, paid, close: () => provider.close() }
}

function placeOf({ body }: RecordedRequest): { readonly input: string; readonly turn: number } {
  const messages = (body as JsonObject)['messages'] as readonly JsonObject[]
  const roles = messages.map((message) => message['role'])
  return {
    input: textOf(messages[roles.indexOf('user')]?.['content']),
    turn: roles.filter((role) => role === 'assistant').length + 1,
  }
}

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content
  const text = (content as readonly JsonObject[] | undefined)?.[0]?.['text']
  return typeof text === 'string' ? text : ''
}
