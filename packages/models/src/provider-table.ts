import type { LanguageModel } from '@troupe/schema'

/** How a provider is reached: complete, so that no adapter looks for anything itself. */
export interface ProviderConnection {
  /** Empty: the provider needs none. */
  readonly apiKey: string
  readonly baseURL: string
  readonly headers: Readonly<Record<string, string>>
  readonly api: 'chat' | 'responses'
  readonly fetch?: typeof fetch
  /** What holds the key and where that was found, for messages; none: there is no key. */
  readonly credential?: string
}

/** One file under `providers/`. */
export interface ProviderAdapter {
  createModel(name: string, connection: ProviderConnection): LanguageModel
}

/** What is known of a provider without loading its adapter. */
export interface ProviderEntry {
  readonly keyVariable?: string
  /** False: works without a key. */
  readonly needsKey: boolean
  readonly baseURLVariable: string
  /** None: the base URL has to be given. */
  readonly defaultBaseURL?: string
  /** How it writes a stream. Default: as events. */
  readonly streams?: 'events' | 'lines'
  readonly load: () => Promise<ProviderAdapter>
}

/** The most tools that the APIs take in one request. */
export const MAX_TOOLS = 128

/** Providers by name, with their variables and documented base URLs (docs/interface.md §3). */
export const PROVIDERS: ReadonlyMap<string, ProviderEntry> = new Map<string, ProviderEntry>([
  [
    'openai',
    {
      keyVariable: 'OPENAI_API_KEY',
      needsKey: true,
      baseURLVariable: 'OPENAI_BASE_URL',
      defaultBaseURL: 'https://api.openai.com/v1',
      load: () => import('./providers/openai.ts'),
    },
  ],
  [
    'anthropic',
    {
      keyVariable: 'ANTHROPIC_API_KEY',
      needsKey: true,
      baseURLVariable: 'ANTHROPIC_BASE_URL',
      defaultBaseURL: 'https://api.anthropic.com/v1',
      load: () => import('./providers/anthropic.ts'),
    },
  ],
  [
    'google',
    {
      keyVariable: 'GOOGLE_GENERATIVE_AI_API_KEY',
      needsKey: true,
      baseURLVariable: 'GOOGLE_BASE_URL',
      defaultBaseURL: 'https://generativelanguage.googleapis.com/v1beta',
      load: () => import('./providers/google.ts'),
    },
  ],
  [
    'openrouter',
    {
      keyVariable: 'OPENROUTER_API_KEY',
      needsKey: true,
      baseURLVariable: 'OPENROUTER_BASE_URL',
      defaultBaseURL: 'https://openrouter.ai/api/v1',
      load: () => import('./providers/openrouter.ts'),
    },
  ],
  [
    'ollama',
    {
      needsKey: false,
      baseURLVariable: 'OLLAMA_BASE_URL',
      defaultBaseURL: 'http://127.0.0.1:11434/api',
      streams: 'lines',
      load: () => import('./providers/ollama.ts'),
    },
  ],
  [
    'openai-compatible',
    {
      keyVariable: 'OPENAI_COMPATIBLE_API_KEY',
      needsKey: false,
      baseURLVariable: 'OPENAI_COMPATIBLE_BASE_URL',
      load: () => import('./providers/openai-compatible.ts'),
    },
  ],
])

/** Providers inside this package: they need no key and no network. */
export const EMBEDDED_PROVIDERS: readonly string[] = ['script', 'replay', 'passthrough']

/** The variable that holds the key of each provider that has one. */
export const PROVIDER_KEYS: ReadonlyMap<string, string> = new Map(
  [...PROVIDERS].flatMap(([name, { keyVariable }]) =>
    keyVariable === undefined ? [] : [[name, keyVariable]],
  ),
)

/** Every name that may stand before the first `/` of a model id. */
export const PROVIDER_NAMES: readonly string[] = [...PROVIDERS.keys(), ...EMBEDDED_PROVIDERS]
