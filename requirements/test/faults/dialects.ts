import {
  startFakeAnthropic,
  startFakeOpenAI,
  type FakeProvider,
  type FakeProviderOptions,
} from '@troupe/testkit'

/** One API that the matrix speaks, with the places of its chunks. */
export interface FaultDialect {
  readonly name: string
  readonly provider: string
  readonly keyVariable: string
  readonly config: { readonly api?: 'responses' }
  /** A chunk in the middle of the text of {@link TEXT}. */
  readonly midText: number
  /** A chunk before the arguments of a call are whole. */
  readonly midCall: number
  /** The error of an account without credit, as this provider sends it. */
  readonly quota: { readonly status: number; readonly message: string; readonly code?: string }
  /** The error of a prompt that is too long. */
  readonly overflow: { readonly status: number; readonly message: string; readonly code?: string }
  /** What a stream says when the servers are too busy: this API has a word of its own for it, or has none. */
  start(options: FakeProviderOptions): Promise<FakeProvider>
}

/** A text of enough pieces. */
export const TEXT = 'one two three four five six seven eight'

const OPENAI = {
  provider: 'openai',
  keyVariable: 'OPENAI_API_KEY',
  quota: { status: 429, message: 'You exceeded your current quota.', code: 'insufficient_quota' },
  overflow: {
    status: 400,
    message: "This model's maximum context length is 8192 tokens.",
    code: 'context_length_exceeded',
  },
  start: startFakeOpenAI,
} as const

export const DIALECTS: readonly FaultDialect[] = [
  { ...OPENAI, name: 'openai chat', config: {}, midText: 4, midCall: 3 },
  { ...OPENAI, name: 'openai responses', config: { api: 'responses' }, midText: 6, midCall: 3 },
  {
    name: 'anthropic',
    provider: 'anthropic',
    keyVariable: 'ANTHROPIC_API_KEY',
    config: {},
    midText: 5,
    midCall: 4,
    quota: { status: 400, message: 'Your credit balance is too low to access the Anthropic API.' },
    overflow: { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    start: startFakeAnthropic,
  },
]
