/** The columns of the table of features. */
export const FEATURES = [
  'tools',
  'parallel',
  'stream',
  'reasoning',
  'schema',
  'cache',
  'files',
  'errors',
] as const

export type Feature = (typeof FEATURES)[number]

/** A row of the table of features, which the page about models explains. Every cell is tested. */
export interface ProviderFeatures extends Readonly<Record<Feature, string>> {
  readonly provider: string
  /** API, package or models that the cells are about, if the provider has several. */
  readonly by?: string
  /** Model of the test of `reasoning`, if the other one has no effort. */
  readonly reasoningModel?: string
}

const CHAT = {
  tools: 'yes',
  parallel: 'yes',
  stream: 'yes',
  reasoning: 'reasoning_effort',
  schema: 'native',
  cache: 'reported',
  files: 'images, PDF, audio',
  errors: 'yes',
} as const

const RESPONSES = {
  ...CHAT,
  reasoning: 'reasoning.effort',
  cache: 'key, reported',
  files: 'images, PDF; images in results',
} as const

const GEMINI = {
  ...CHAT,
  reasoning: 'generationConfig.thinkingConfig',
  schema: 'native, tool beside tools',
} as const

const BEDROCK: ProviderFeatures = {
  ...CHAT,
  provider: 'bedrock',
  by: 'Claude',
  reasoning: 'additionalModelRequestFields.thinking',
  schema: 'tool',
  cache: 'marks, reported',
  files: 'images, PDF; images in results',
}

const BY_CHAT = 'Chat Completions'
const BY_PACKAGE = 'its package'
const CLAUDE_ON_BEDROCK = 'bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0'

/** The table of features, by the name of the case that it is tested with. */
export const PROVIDER_FEATURES: ReadonlyMap<string, ProviderFeatures> = new Map<string, ProviderFeatures>([
  ['openai/gpt-5-mini (responses)', { provider: 'openai', by: 'Responses', ...RESPONSES }],
  [
    'openai/gpt-4o-mini',
    { provider: 'openai', by: BY_CHAT, ...CHAT, cache: 'key, reported', reasoningModel: 'openai/gpt-5-mini' },
  ],
  [
    'anthropic/claude-sonnet-4-5',
    {
      provider: 'anthropic',
      ...CHAT,
      reasoning: 'thinking',
      cache: 'marks, reported',
      files: 'images, PDF; images in results',
    },
  ],
  ['google/gemini-2.5-flash', { provider: 'google', by: 'Gemini 2.5', ...GEMINI }],
  [
    'openrouter/meta-llama/llama-3.3-70b',
    {
      provider: 'openrouter',
      ...CHAT,
      reasoning: 'reasoning.effort',
      files: 'images, PDF, audio; images in results',
    },
  ],
  [
    'ollama/llama3:8b',
    {
      provider: 'ollama',
      ...CHAT,
      reasoning: 'think',
      schema: 'native, tool beside tools',
      cache: 'none',
      files: 'images',
    },
  ],
  ['openai-compatible/local', { provider: 'openai-compatible', ...CHAT }],
  ['azure/my-gpt', { provider: 'azure', by: 'Responses', ...RESPONSES }],
  ['azure/my-gpt (deployment)', { provider: 'azure', by: BY_CHAT, ...CHAT, cache: 'key, reported' }],
  [`${CLAUDE_ON_BEDROCK} (bearer token)`, BEDROCK],
  [`${CLAUDE_ON_BEDROCK} (signed)`, BEDROCK],
  ['vertex/gemini-2.5-flash', { provider: 'vertex', by: 'Gemini 2.5', ...GEMINI }],
  [
    'mistral/mistral-large-latest',
    {
      provider: 'mistral',
      by: BY_PACKAGE,
      ...CHAT,
      cache: 'key, reported',
      files: 'images, PDF',
      reasoningModel: 'mistral/mistral-small-latest',
    },
  ],
  [
    'groq/openai/gpt-oss-120b',
    { provider: 'groq', by: BY_PACKAGE, ...CHAT, schema: 'tool', files: 'images' },
  ],
  ['groq/llama-3.3-70b (without its package)', { provider: 'groq', by: BY_CHAT, ...CHAT }],
  [
    'xai/grok-4',
    {
      provider: 'xai',
      by: BY_PACKAGE,
      ...RESPONSES,
      files: 'images; images in results',
      reasoningModel: 'xai/grok-4.3',
    },
  ],
  [
    'deepseek/deepseek-chat',
    { provider: 'deepseek', by: BY_PACKAGE, ...CHAT, schema: 'tool', files: 'images' },
  ],
  ['cohere/command-a', { provider: 'cohere', by: BY_CHAT, ...CHAT }],
  ['together/meta-llama/llama-3.3-70b', { provider: 'together', ...CHAT }],
  ['fireworks/llama-v3p3-70b', { provider: 'fireworks', ...CHAT }],
  ['cerebras/llama-3.3-70b', { provider: 'cerebras', ...CHAT }],
  ['perplexity/sonar', { provider: 'perplexity', ...CHAT, tools: 'no', parallel: 'no' }],
  ['lmstudio/qwen3', { provider: 'lmstudio', ...CHAT }],
  ['vllm/qwen3', { provider: 'vllm', ...CHAT }],
  ['llamacpp/qwen3', { provider: 'llamacpp', ...CHAT }],
])
