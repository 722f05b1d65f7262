import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  startFakeAnthropic,
  startFakeAzure,
  startFakeBedrock,
  startFakeDeepSeek,
  startFakeGoogle,
  startFakeGroq,
  startFakeMistral,
  startFakeOllama,
  startFakeOpenAI,
  startFakeVertex,
  type FakeProvider,
  type FakeProviderOptions,
  type RecordedRequest,
} from '@troupe/testkit'
import type { ModelContext, ProviderConfig } from '../src/index.ts'
import { contextOf } from './context.ts'

/** Fields that OpenRouter's API has and OpenAI's does not. */
const OPENROUTER_FIELDS = ['usage', 'reasoning', 'plugins', 'models', 'transforms', 'include_reasoning']

/** Credentials of AWS, with characters that need encoding in a signature. */
export const AWS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'session/token+1==',
  region: 'eu-central-1',
} as const
const BEDROCK_MODEL = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'
/** Token of the default credentials in tests of Vertex AI. */
export const GOOGLE_TOKEN = 'token-of-the-metadata-server'

/**
 * Starts a fake of Vertex AI, and a metadata server as on Google's machines, which is a source of Application
 * Default Credentials.
 */
async function startVertexWithMetadata(options: FakeProviderOptions): Promise<FakeProvider> {
  const metadata = createServer((_request, response) => {
    response.setHeader('metadata-flavor', 'Google')
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ access_token: GOOGLE_TOKEN, expires_in: 3600, token_type: 'Bearer' }))
  })
  await new Promise<void>((resolve) => metadata.listen(0, '127.0.0.1', resolve))
  const { port } = metadata.address() as AddressInfo
  const variables = {
    GCE_METADATA_HOST: `127.0.0.1:${port}`,
    METADATA_SERVER_DETECTION: 'assume-present',
    // no other source of credentials, and no program that looks for the project
    CLOUDSDK_CONFIG: '/nowhere',
    GOOGLE_CLOUD_PROJECT: 'p-1',
  }
  const { GOOGLE_APPLICATION_CREDENTIALS: file } = process.env
  delete process.env['GOOGLE_APPLICATION_CREDENTIALS']
  Object.assign(process.env, variables)
  const fake = await startFakeVertex({
    ...options,
    token: GOOGLE_TOKEN,
    project: 'p-1',
    location: 'europe-west1',
  })
  return {
    baseURL: fake.baseURL,
    requests: fake.requests,
    get maxInFlight() {
      return fake.maxInFlight
    },
    async close() {
      for (const name of Object.keys(variables)) delete process.env[name]
      if (file !== undefined) process.env['GOOGLE_APPLICATION_CREDENTIALS'] = file
      metadata.closeAllConnections()
      metadata.close()
      await fake.close()
    },
  }
}

export interface ProviderCase {
  readonly id: string
  /** Title in tests, if there are several cases with this id. */
  readonly title?: string
  /** Variable of the key. */
  readonly key?: string
  /** Variable of the base URL. Default: the base URL is in the configuration. */
  readonly base?: string
  /** Variables besides key and base URL. */
  readonly variables?: Readonly<Record<string, string>>
  readonly config?: ProviderConfig
  /** True if the key is in the configuration. */
  readonly hasConfiguredKey?: true
  baseURLOf?(fake: FakeProvider): string
  start(options: FakeProviderOptions): Promise<FakeProvider>
  keyOf(request: RecordedRequest): string | undefined
}

const bearer = (request: RecordedRequest): string | undefined =>
  request.headers['authorization']?.replace('Bearer ', '')

/** A server with Chat Completions that has a row of its own. A local one needs no key, but may get one. */
function serverCase(id: string, key?: string): ProviderCase {
  const access = key === undefined ? { hasConfiguredKey: true as const } : { key }
  return { id, start: startFakeOpenAI, keyOf: bearer, ...access }
}

/** A provider whose models cannot call tools. */
export const TOOLLESS_CASE: ProviderCase = serverCase('perplexity/sonar', 'PERPLEXITY_API_KEY')

/** Every provider whose models can call tools, with the fake that implements its API. */
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
  {
    id: 'groq/llama-3.3-70b',
    title: 'without its package',
    key: 'GROQ_API_KEY',
    start: startFakeOpenAI,
    keyOf: bearer,
  },
  serverCase('cohere/command-a', 'COHERE_API_KEY'),
  serverCase('together/meta-llama/llama-3.3-70b', 'TOGETHER_API_KEY'),
  serverCase('fireworks/llama-v3p3-70b', 'FIREWORKS_API_KEY'),
  serverCase('cerebras/llama-3.3-70b', 'CEREBRAS_API_KEY'),
  serverCase('lmstudio/qwen3'),
  serverCase('vllm/qwen3'),
  serverCase('llamacpp/qwen3'),
  {
    id: 'groq/openai/gpt-oss-120b',
    key: 'GROQ_API_KEY',
    config: { package: '@ai-sdk/groq' },
    start: startFakeGroq,
    keyOf: bearer,
  },
  {
    id: 'mistral/mistral-large-latest',
    key: 'MISTRAL_API_KEY',
    config: { package: '@ai-sdk/mistral' },
    start: startFakeMistral,
    keyOf: bearer,
  },
  {
    id: 'xai/grok-4',
    key: 'XAI_API_KEY',
    config: { package: '@ai-sdk/xai' },
    start: startFakeOpenAI,
    keyOf: bearer,
  },
  {
    id: 'deepseek/deepseek-chat',
    key: 'DEEPSEEK_API_KEY',
    config: { package: '@ai-sdk/deepseek' },
    start: startFakeDeepSeek,
    keyOf: bearer,
  },
  {
    id: 'azure/my-gpt',
    key: 'AZURE_API_KEY',
    baseURLOf: ({ baseURL }) => `${baseURL}/v1`,
    start: startFakeAzure,
    keyOf: (request) => request.headers['api-key'],
  },
  {
    id: 'azure/my-gpt',
    title: 'deployment',
    key: 'AZURE_API_KEY',
    config: { api: 'chat', options: { useDeploymentBasedUrls: true, apiVersion: '2024-10-21' } },
    start: startFakeAzure,
    keyOf: (request) => request.headers['api-key'],
  },
  {
    id: `bedrock/${BEDROCK_MODEL}`,
    title: 'bearer token',
    key: 'AWS_BEARER_TOKEN_BEDROCK',
    variables: { AWS_REGION: AWS.region },
    start: startFakeBedrock,
    keyOf: bearer,
  },
  {
    id: `bedrock/${BEDROCK_MODEL}`,
    title: 'signed',
    variables: {
      AWS_REGION: AWS.region,
      AWS_ACCESS_KEY_ID: AWS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: AWS.secretAccessKey,
      AWS_SESSION_TOKEN: AWS.sessionToken,
    },
    start: (options) => startFakeBedrock({ ...options, credentials: AWS }),
    keyOf: () => undefined,
  },
  {
    id: 'vertex/gemini-2.5-flash',
    variables: { GOOGLE_VERTEX_PROJECT: 'p-1', GOOGLE_VERTEX_LOCATION: 'europe-west1' },
    config: { credentials: 'default' },
    start: startVertexWithMetadata,
    keyOf: bearer,
  },
]

/** Returns the name of a case in test titles. */
export function caseName({ id, title, config }: ProviderCase): string {
  if (title !== undefined) return `${id} (${title})`
  return config?.api === undefined ? id : `${id} (${config.api})`
}

/** Returns the context of a session that reaches a fake with a key. */
export function contextAt(
  provider: ProviderCase,
  fake: FakeProvider,
  apiKey: string,
  config: ProviderConfig = {},
): ModelContext {
  const baseURL = provider.baseURLOf?.(fake) ?? fake.baseURL
  const ownKey = provider.hasConfiguredKey === true ? { apiKey } : {}
  const entry = {
    ...provider.config,
    ...ownKey,
    ...(provider.base === undefined ? { baseURL } : {}),
    ...config,
  }
  return contextOf(
    {
      ...provider.variables,
      ...(provider.base === undefined ? {} : { [provider.base]: baseURL }),
      ...(provider.key === undefined ? {} : { [provider.key]: apiKey }),
    },
    { providers: { [provider.id.split('/')[0] ?? '']: entry }, folder: import.meta.dirname },
  )
}
