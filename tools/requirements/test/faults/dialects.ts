import {
  startFakeAnthropic,
  startFakeGoogle,
  startFakeOllama,
  startFakeOpenAI,
  type FakeProvider,
  type FakeProviderOptions,
} from '@troupe/testkit'

/** A provider API of the matrix, with the positions of its chunks. */
export interface FaultDialect {
  readonly name: string
  readonly provider: string
  readonly keyVariable: string
  readonly config: { readonly api?: 'responses' }
  /** A chunk in the middle of the text of {@link TEXT}. */
  readonly midText: number
  /** A chunk before the arguments of a call are complete. */
  readonly midCall: number
  /** The error of an account without credit, as this provider sends it. */
  readonly quota: { readonly status: number; readonly message: string; readonly code?: string }
  /** The error of a prompt that is too long. */
  readonly overflow: { readonly status: number; readonly message: string; readonly code?: string }
  /** Every chunk of its streams reports the usage so far. */
  readonly reportsEarly?: true
  /** Its adapter does not distinguish an error under status 200 from an answer without content unless the answer is streamed. */
  readonly hidesErrors?: true
  start(options: FakeProviderOptions): Promise<FakeProvider>
}

/** A text that is streamed in several chunks. */
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

/** A text with long chunks, so that repeating one of them soon exceeds every limit. */
export const LONG_TEXT: string = `${'x'.repeat(4000)} `.repeat(8)

/** Fields that OpenRouter's API has and OpenAI's does not. */
const OPENROUTER_FIELDS = ['usage', 'reasoning', 'plugins', 'models', 'transforms', 'include_reasoning']

/** The APIs that run only some of the rows. */
export const OTHER_DIALECTS: readonly FaultDialect[] = [
  {
    ...OPENAI,
    name: 'google',
    reportsEarly: true,
    hidesErrors: true,
    provider: 'google',
    keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
    config: {},
    midText: 4,
    midCall: 0,
    start: startFakeGoogle,
  },
  {
    ...OPENAI,
    name: 'ollama',
    provider: 'ollama',
    keyVariable: 'OLLAMA_API_KEY',
    config: {},
    midText: 4,
    midCall: 0,
    start: startFakeOllama,
  },
  {
    ...OPENAI,
    name: 'openrouter',
    hidesErrors: true,
    provider: 'openrouter',
    keyVariable: 'OPENROUTER_API_KEY',
    config: {},
    midText: 4,
    midCall: 3,
    start: (options) => startFakeOpenAI({ ...options, extraFields: OPENROUTER_FIELDS }),
  },
  {
    ...OPENAI,
    name: 'openai-compatible',
    provider: 'openai-compatible',
    keyVariable: 'OPENAI_COMPATIBLE_API_KEY',
    config: {},
    midText: 4,
    midCall: 3,
    start: startFakeOpenAI,
  },
]
