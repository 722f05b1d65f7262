// The fake OpenAI server of the testkit with the faults of the bench, in a process of its own.
import { setTimeout as wait } from 'node:timers/promises'
import { startFakeOpenAI, type FakeAnswer } from '@troupe/testkit'
import { callKey, CHILD, CHILD_ANSWER, childInput, FAULT_RUN, faultOf, type Fault } from '../faults/faults.ts'

interface ChatMessage {
  readonly role: string
  readonly content: string | readonly { readonly text: string }[]
}

/** A model that answers at once would leave only the faults to wait for. */
const LATENCY_MS = 50

const attempts = new Map<string, number>()

const provider = await startFakeOpenAI({
  answers: async ({ body }) => {
    const { messages } = body as { readonly messages: readonly ChatMessage[] }
    const input = textOf(messages.find(({ role }) => role === 'user'))
    const results = messages.filter(({ role }) => role === 'tool')
    const key = callKey(input, results.length)
    const attempt = attempts.get(key) ?? 0
    attempts.set(key, attempt + 1)
    const fault = faultOf(key, attempt)
    // error statuses are sent before anything is generated
    if (fault === 'refused' || fault === 'failed') return FAULTS[fault]
    await wait(LATENCY_MS)
    return { ...answerOf(input, results), ...(fault === undefined ? {} : FAULTS[fault]) }
  },
})
process.send?.(Number(new URL(provider.baseURL).port))
process.on('disconnect', () => process.exit())

const FAULTS: Readonly<Record<Fault, FakeAnswer>> = {
  refused: { status: 429, message: 'Slow down.', headers: { 'retry-after': '1' } },
  failed: { status: 500, message: 'Something broke.' },
  cut: { breakAfter: 2 },
  hung: { stallAfter: 2 },
}

/** Children answer. Parents call their children and then report how many of them answered. */
function answerOf(input: string, results: readonly ChatMessage[]): FakeAnswer {
  if (input.includes('part')) return { text: CHILD_ANSWER }
  if (results.length > 0)
    return { text: `${results.filter((each) => textOf(each) === CHILD_ANSWER).length} of the parts` }
  const calls = Array.from({ length: FAULT_RUN.childrenPerRun }, (_, child) => ({
    name: CHILD,
    args: { text: childInput(input, child) },
  }))
  return { calls }
}

function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? ''
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('')
}
