import type { LanguageModel } from '@troupe/schema'
import type { EmbeddingModel } from '@troupe/schema/ports'
import { PROVIDER_APIS, type ApiName, type ProtocolName } from '../protocols/protocol-names.ts'

/** Connection settings of a provider. Complete, so that adapters read nothing from the environment. */
export interface ProviderConnection {
  /** Empty if the provider needs no key. */
  readonly apiKey: string
  /** Empty if the package of the provider builds its own. */
  readonly baseURL: string
  /** True if the base URL is the provider's own, false for a gateway or a compatible server. */
  readonly isOwnAddress: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly api: ApiName
  /** Options for the package of the provider. */
  readonly options: Readonly<Record<string, unknown>>
  readonly fetch?: typeof fetch
  /** Source of the key for messages; `undefined` if there is no key. */
  readonly credential?: string
  /** Values to redact in messages of the provider. */
  readonly secrets: readonly string[]
}

/** A module under `providers/`, or an adapter made from a package. */
export interface ProviderAdapter {
  createModel(name: string, connection: ProviderConnection): LanguageModel | Promise<LanguageModel>
  /** Absent if the provider has no embedding models. */
  createEmbeddingModel?(
    name: string,
    connection: ProviderConnection,
  ): EmbeddingModel | Promise<EmbeddingModel>
}

/** An option of a package that is read from a variable if the configuration does not set it. */
export interface OptionVariable {
  readonly option: string
  readonly variable: string
  readonly isOptional?: true
  /** Settings that make this one unnecessary. It is not read then. */
  readonly replacedBy?: readonly ('key' | 'credentials' | 'baseURL')[]
}

/** Facts about a provider that do not require its adapter. */
export interface ProviderEntry {
  readonly protocol: ProtocolName
  readonly keyVariable?: string
  /** False if the provider works without a key. */
  readonly needsKey: boolean
  /** Default: only the configuration can set the base URL. */
  readonly baseURLVariable?: string
  /** May contain options, as in `https://{resourceName}.example`. */
  readonly defaultBaseURL?: string
  /** APIs that the configuration can choose from; the first is the default. */
  readonly apis?: readonly ApiName[]
  /** The default API at `defaultBaseURL`, if it is another one. */
  readonly ownApi?: ApiName
  /** Format of a stream. Default: `events`. */
  readonly streams?: 'events' | 'lines'
  /** Set for a provider whose models cannot call tools. */
  readonly hasNoTools?: true
  /** npm package with the adapter, which the user installs. */
  readonly package?: string
  readonly optionVariables?: readonly OptionVariable[]
  /** Options that replace the key and the variables of credentials. */
  readonly credentialOptions?: readonly string[]
  /** Set if the default credentials of the machine can replace the key. */
  readonly defaultCredentials?: 'azure' | 'aws' | 'google'
  /** Set if requests without a key are signed, so that their body cannot be changed. */
  readonly isSigned?: true
  /** Loads the adapter. `undefined` for a package. */
  readonly load?: () => Promise<ProviderAdapter>
}

/** Maximum number of tools in a request to a provider. */
export const MAX_TOOLS = 128

/** Adapters of this package by the API they implement. */
export const API_ADAPTERS: Readonly<Record<ApiName, Required<Pick<ProviderEntry, 'protocol' | 'load'>>>> = {
  chat: { protocol: 'openai-compatible', load: () => import('./openai-compatible.ts') },
  responses: { protocol: 'openai', load: () => import('./openai.ts') },
  anthropic: { protocol: 'anthropic', load: () => import('./anthropic.ts') },
}

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
      apis: ['chat', 'responses'],
      ownApi: 'responses',
      load: API_ADAPTERS.responses.load,
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
      apis: ['anthropic'],
      load: API_ADAPTERS.anthropic.load,
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
      apis: ['chat'],
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
      apis: PROVIDER_APIS,
      load: API_ADAPTERS.chat.load,
    },
  ],
  [
    'azure',
    {
      protocol: 'openai',
      package: '@ai-sdk/azure',
      keyVariable: 'AZURE_API_KEY',
      needsKey: true,
      defaultBaseURL: 'https://{resourceName}.openai.azure.com/openai',
      apis: ['responses', 'chat'],
      optionVariables: [{ option: 'resourceName', variable: 'AZURE_RESOURCE_NAME', replacedBy: ['baseURL'] }],
      defaultCredentials: 'azure',
    },
  ],
  [
    'bedrock',
    {
      protocol: 'bedrock',
      package: '@ai-sdk/amazon-bedrock',
      keyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
      needsKey: false,
      defaultBaseURL: 'https://bedrock-runtime.{region}.amazonaws.com',
      optionVariables: [
        { option: 'region', variable: 'AWS_REGION' },
        { option: 'accessKeyId', variable: 'AWS_ACCESS_KEY_ID', replacedBy: ['key', 'credentials'] },
        { option: 'secretAccessKey', variable: 'AWS_SECRET_ACCESS_KEY', replacedBy: ['key', 'credentials'] },
        {
          option: 'sessionToken',
          variable: 'AWS_SESSION_TOKEN',
          isOptional: true,
          replacedBy: ['key', 'credentials'],
        },
      ],
      credentialOptions: ['accessKeyId', 'secretAccessKey'],
      defaultCredentials: 'aws',
      isSigned: true,
    },
  ],
  [
    'vertex',
    {
      protocol: 'google',
      package: '@ai-sdk/google-vertex',
      keyVariable: 'GOOGLE_VERTEX_API_KEY',
      needsKey: true,
      optionVariables: [
        { option: 'project', variable: 'GOOGLE_VERTEX_PROJECT', replacedBy: ['key', 'baseURL'] },
        { option: 'location', variable: 'GOOGLE_VERTEX_LOCATION', replacedBy: ['key', 'baseURL'] },
      ],
      credentialOptions: ['googleAuthOptions'],
      defaultCredentials: 'google',
    },
  ],
  ['mistral', packageRow('mistral', '@ai-sdk/mistral', 'MISTRAL_API_KEY', 'https://api.mistral.ai/v1')],
  ['groq', packageRow('groq', '@ai-sdk/groq', 'GROQ_API_KEY', 'https://api.groq.com/openai/v1')],
  ['xai', packageRow('xai', '@ai-sdk/xai', 'XAI_API_KEY', 'https://api.x.ai/v1')],
  ['deepseek', packageRow('deepseek', '@ai-sdk/deepseek', 'DEEPSEEK_API_KEY', 'https://api.deepseek.com')],
  ['cohere', packageRow('cohere', '@ai-sdk/cohere', 'COHERE_API_KEY', 'https://api.cohere.com/v2')],
  ['together', serverRow('https://api.together.xyz/v1', 'TOGETHER_API_KEY')],
  ['fireworks', serverRow('https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY')],
  ['cerebras', serverRow('https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY')],
  ['perplexity', { ...serverRow('https://api.perplexity.ai', 'PERPLEXITY_API_KEY'), hasNoTools: true }],
  ['lmstudio', serverRow('http://127.0.0.1:1234/v1')],
  ['vllm', serverRow('http://127.0.0.1:8000/v1')],
  ['llamacpp', serverRow('http://127.0.0.1:8080/v1')],
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

/** A provider with its own adapter in a package. */
function packageRow(
  protocol: ProtocolName,
  name: string,
  keyVariable: string,
  defaultBaseURL: string,
): ProviderEntry {
  return { protocol, package: name, keyVariable, needsKey: true, defaultBaseURL }
}

/** A server with Chat Completions at a known address. */
function serverRow(defaultBaseURL: string, keyVariable?: string): ProviderEntry {
  return {
    ...API_ADAPTERS.chat,
    needsKey: keyVariable !== undefined,
    defaultBaseURL,
    apis: PROVIDER_APIS,
    ...(keyVariable === undefined ? {} : { keyVariable }),
  }
}
