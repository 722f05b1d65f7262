/** Names of APIs that several providers have. */
export const PROVIDER_APIS = ['chat', 'responses', 'anthropic'] as const
/** One of {@link PROVIDER_APIS}. */
export type ApiName = (typeof PROVIDER_APIS)[number]

/** The rules for requests that providers share. `other` is for packages without known rules. */
export type ProtocolName =
  | 'openai'
  | 'anthropic'
  | 'google'
  | 'openrouter'
  | 'ollama'
  | 'openai-compatible'
  | 'bedrock'
  | 'mistral'
  | 'groq'
  | 'xai'
  | 'deepseek'
  | 'cohere'
  | 'other'
