import type { LanguageModel } from '@troupe/schema'

/** Connection settings of a provider. Complete, so that adapters read nothing from the environment. */
export interface ProviderConnection {
  /** Empty if the provider needs no key. */
  readonly apiKey: string
  readonly baseURL: string
  readonly headers: Readonly<Record<string, string>>
  readonly api: 'chat' | 'responses'
  readonly fetch?: typeof fetch
  /** Source of the key for messages; `undefined` if there is no key. */
  readonly credential?: string
}

/** A module under `providers/`. */
export interface ProviderAdapter {
  createModel(name: string, connection: ProviderConnection): LanguageModel
}

/** Facts about a provider that do not require its adapter. */
export interface ProviderEntry {
  /** The built-in provider whose protocol it has. For a built-in provider, its own name. */
  readonly protocol: ProtocolName
  readonly keyVariable?: string
  /** False if the provider works without a key. */
  readonly needsKey: boolean
  /** `undefined` for a provider that only the configuration defines. */
  readonly baseURLVariable?: string
  /** If `undefined`, a base URL must be configured. */
  readonly defaultBaseURL?: string
  /** Format of a stream. Default: `events`. */
  readonly streams?: 'events' | 'lines'
  readonly load: () => Promise<ProviderAdapter>
}

/** Names of the built-in providers that are reached over a network. */
type ProtocolName = 'openai' | 'anthropic' | 'google' | 'openrouter' | 'ollama' | 'openai-compatible'

/** Maximum number of tools in a request to a provider. */
export const MAX_TOOLS = 128

/** Built-in providers by name, with their variables and documented base URLs. */
export const PROVIDERS: ReadonlyMap<string, ProviderEntry> = new Map<string, ProviderEntry>([
  [
    'openai',
    {
      protocol: 'openai',
      keyVariable: 'OPENAI_API_KEY',
      needsKey: true,
      baseURLVariable: 'OPENAI_BASE_URL',
      defaultBaseURL: 'https://api.openai.com/v1',
      load: () => import('./openai.ts'),
    },
  ],
  [
    'anthropic',
    {
      protocol: 'anthropic',
      keyVariable: 'ANTHROPIC_API_KEY',
      needsKey: true,
      baseURLVariable: 'ANTHROPIC_BASE_URL',
      defaultBaseURL: 'https://api.anthropic.com/v1',
      load: () => import('./anthropic.ts'),
    },
  ],
  [
    'google',
    {
      protocol: 'google',
      keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
      needsKey: true,
      baseURLVariable: 'GOOGLE_BASE_URL',
      defaultBaseURL: 'https://generativelanguage.googleapis.com/v1beta',
      load: () => import('./google.ts'),
    },
  ],
  [
    'openrouter',
    {
      protocol: 'openrouter',
      keyVariable: 'OPENROUTER_API_KEY',
      needsKey: true,
      baseURLVariable: 'OPENROUTER_BASE_URL',
      defaultBaseURL: 'https://openrouter.ai/api/v1',
      load: () => import('./openrouter.ts'),
    },
  ],
  [
    'ollama',
    {
      protocol: 'ollama',
      needsKey: false,
      baseURLVariable: 'OLLAMA_BASE_URL',
      defaultBaseURL: 'http://127.0.0.1:11434/api',
      streams: 'lines',
      load: () => import('./ollama.ts'),
    },
  ],
  [
    'openai-compatible',
    {
      protocol: 'openai-compatible',
      keyVariable: 'OPENAI_COMPATIBLE_API_KEY',
      needsKey: false,
      baseURLVariable: 'OPENAI_COMPATIBLE_BASE_URL',
      load: () => import('./openai-compatible.ts'),
    },
  ],
])

/** Providers implemented in this package, which need no key and no network. */
export const EMBEDDED_PROVIDERS: readonly string[] = ['script', 'replay', 'passthrough']

/** Key variable by provider, for providers that have one. */
export const PROVIDER_KEYS: ReadonlyMap<string, string> = new Map(
  [...PROVIDERS].flatMap(([name, { keyVariable }]) =>
    keyVariable === undefined ? [] : [[name, keyVariable]],
  ),
)

/** All provider names valid in a model id. */
export const PROVIDER_NAMES: readonly string[] = [...PROVIDERS.keys(), ...EMBEDDED_PROVIDERS]
