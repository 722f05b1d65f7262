// The fake OpenAI of the testkit, failing as a fault mix says, in a process of its own. Arguments: the mix and the seed as JSON.
import { setTimeout as wait } from 'node:timers/promises'
import { startFakeOpenAI, type FakeAnswer } from '@troupe/testkit'
import { callKey, childInput, FAULT_RUN, faultOf, type Fault, type FaultMix } from '../faults.ts'
import { CHILD, LAST_WORDS } from '../subjects/faulty-team.ts'

interface ChatMessage {
  readonly role: string
  readonly content: string | readonly { readonly text: string }[]
}

/** A model that answers at once would make every client wait for nothing but faults. */
const LATENCY_MS = 50

const [mix, seed] = process.argv.slice(2).map((text) => JSON.parse(text) as unknown) as [FaultMix, number]
const attempts = new Map<string, number>()

const provider = await startFakeOpenAI({
  answers: async ({ body }) => {
    const { messages } = body as { readonly messages: readonly ChatMessage[] }
    const input = textOf(messages.find(({ role }) => role === 'user'))
    const results = messages.filter(({ role }) => role === 'tool')
    const key = callKey(input, results.length)
    const attempt = attempts.get(key) ?? 0
    attempts.set(key, attempt + 1)
    const fault = faultOf(mix, { seed, key, attempt })
    // refused at the door, where nothing has been generated yet
    if (fault === 'refused' || fault === 'failed') return FAULTS[fault]
    await wait(LATENCY_MS)
    return { ...wordsOf(input, results), ...(fault === undefined ? {} : FAULTS[fault]) }
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

/** Children answer, runs call their children and then tell how many of them answered. */
function wordsOf(input: string, results: readonly ChatMessage[]): FakeAnswer {
  if (input.includes('part')) return { text: LAST_WORDS }
  if (results.length > 0)
    return { text: `${results.filter((each) => textOf(each) === LAST_WORDS).length} of the parts` }
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
