import {
  startFakeAnthropic,
  startFakeGoogle,
  startFakeOllama,
  startFakeOpenAI,
  type FakeProvider,
  type FakeProviderOptions,
  type RecordedRequest,
} from '@troupe/testkit'
import type { ProviderConfig } from '../src/index.ts'

/** Fields that OpenRouter's API has and OpenAI's does not. */
const OPENROUTER_FIELDS = ['usage', 'reasoning', 'plugins', 'models', 'transforms', 'include_reasoning']

export interface ProviderCase {
  readonly id: string
  readonly key?: string
  readonly base: string
  readonly config?: ProviderConfig
  start(options: FakeProviderOptions): Promise<FakeProvider>
  keyOf(request: RecordedRequest): string | undefined
}

const bearer = (request: RecordedRequest): string | undefined =>
  request.headers['authorization']?.replace('Bearer ', '')

/** Every provider with the fake that implements its API. */
export const PROVIDER_CASES: readonly ProviderCase[] = [
  {
    id: 'openai/gpt-4o-mini',
    key: 'OPENAI_API_KEY',
    base: 'OPENAI_BASE_URL',
    start: startFakeOpenAI,
    keyOf: bearer,
  },
  {
    id: 'openai/gpt-5-mini',
    key: 'OPENAI_API_KEY',
    base: 'OPENAI_BASE_URL',
    config: { api: 'responses' },
    start: startFakeOpenAI,
    keyOf: bearer,
  },
  {
    id: 'anthropic/claude-sonnet-4-5',
    key: 'ANTHROPIC_API_KEY',
    base: 'ANTHROPIC_BASE_URL',
    start: startFakeAnthropic,
    keyOf: (request) => request.headers['x-api-key'],
  },
  {
    id: 'google/gemini-2.5-flash',
    key: 'GOOGLE_GENERATIVE_AI_API_KEY',
    base: 'GOOGLE_BASE_URL',
    start: startFakeGoogle,
    keyOf: (request) => request.headers['x-goog-api-key'],
  },
  {
    id: 'openrouter/meta-llama/llama-3.3-70b',
    key: 'OPENROUTER_API_KEY',
    base: 'OPENROUTER_BASE_URL',
    start: (options) => startFakeOpenAI({ ...options, extraFields: OPENROUTER_FIELDS }),
    keyOf: bearer,
  },
  {
    id: 'openai-compatible/local',
    key: 'OPENAI_COMPATIBLE_API_KEY',
    base: 'OPENAI_COMPATIBLE_BASE_URL',
    start: startFakeOpenAI,
    keyOf: bearer,
  },
  { id: 'ollama/llama3:8b', base: 'OLLAMA_BASE_URL', start: startFakeOllama, keyOf: bearer },
]

/** Returns the name of a case in test titles. */
export function caseName({ id, config }: ProviderCase): string {
  return config?.api === undefined ? id : `${id} (${config.api})`
}
