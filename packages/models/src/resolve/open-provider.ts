import { errorMessage, getOwn, troupeError, type Clock } from '@troupe/schema'
import { canonicalJson, sha256Hex } from '@troupe/schema/json'
import type { ModelHandle } from '@troupe/schema/ports'
import type { ModelContext, ProviderConfig } from '../config/model-context.ts'
import type { ProviderAdapter, ProviderConnection, ProviderEntry } from '../providers/provider-table.ts'
import { DEFAULT_TIMEOUTS } from '../transport/timeout-watch.ts'
import { toModelPrice } from './list-prices.ts'
import type { ModelPlan, ModelSource } from './model-plan.ts'

/** A model of a provider that was analysed. */
export type ProviderSource = Extract<ModelSource, { readonly kind: 'provider' }>

/** The loaded adapter of a provider, and everything that creates one of its models. */
interface OpenProvider {
  readonly adapter: ProviderAdapter
  readonly connection: ProviderConnection
  readonly config: ProviderConfig
  /** The parts that all kinds of models have. */
  readonly handle: Pick<
    ModelHandle,
    | 'id'
    | 'provider'
    | 'limiterKey'
    | 'maxConcurrentCalls'
    | 'rateLimits'
    | 'endpoint'
    | 'price'
    | 'credential'
    | 'hide'
  >
}

/** Loads the adapter of a provider, and connects it for one model. Throws `config_invalid`. */
export async function openProvider(
  { provider = '', name, price }: ModelPlan,
  options: { readonly source: ProviderSource; readonly context: ModelContext },
): Promise<OpenProvider> {
  const { entry, connection } = options.source
  const config = configOf(provider, options.context)
  const adapter = await loadAdapter(provider, entry, { config, context: options.context, connection })
  const { credential, secrets } = connection
  return {
    adapter,
    connection: { ...connection, fetch: await fetchFor(provider, config, options) },
    config,
    handle: {
      id: `${provider}/${name}`,
      provider,
      limiterKey: limiterKey(provider, connection),
      ...limiterOptions(config),
      endpoint: endpointOf(provider, connection),
      ...(credential === undefined ? {} : { credential, hide: createKeyRedaction(secrets) }),
      ...(price === undefined ? {} : { price: toModelPrice(price) }),
    },
  }
}

/** Returns a `fetch` with the timeouts of the provider, which adds its `body`. */
async function fetchFor(
  provider: string,
  { timeouts, body }: ProviderConfig,
  { source, context }: { readonly source: ProviderSource; readonly context: ModelContext },
): Promise<typeof fetch> {
  const { limitedFetch } = await import('../transport/limited-fetch.ts')
  const { fetch: given, clock = TIMERS } = context
  const send = limitedFetch(given, {
    provider,
    timeouts: { ...DEFAULT_TIMEOUTS, ...timeouts },
    clock,
    streams: source.entry.streams ?? 'events',
  })
  if (body === undefined) return send
  const { withExtraBody } = await import('../transport/extra-body.ts')
  return withExtraBody(send, body)
}

/** System timers. */
const TIMERS: Pick<Clock, 'after' | 'monotonic'> = Object.freeze({
  monotonic: () => performance.now(),
  after: (ms: number, fn: () => void) => {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
})

/** Returns the limits that the configuration sets for a provider. */
export function limiterOptions({
  maxParallel,
  requestsPerMinute,
  tokensPerMinute,
}: ProviderConfig): Pick<ModelHandle, 'maxConcurrentCalls' | 'rateLimits'> {
  const limits = {
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(tokensPerMinute === undefined ? {} : { tokensPerMinute }),
  }
  return {
    ...(maxParallel === undefined ? {} : { maxConcurrentCalls: maxParallel }),
    ...(Object.keys(limits).length === 0 ? {} : { rateLimits: limits }),
  }
}

/** Loads the adapter. Adapters read the environment on load, and some reject an empty variable. */
async function loadAdapter(
  provider: string,
  entry: ProviderEntry,
  {
    config,
    context,
    connection,
  }: {
    readonly config: ProviderConfig
    readonly context: ModelContext
    readonly connection: ProviderConnection
  },
): Promise<ProviderAdapter> {
  if (entry.load === undefined) {
    const { loadPackageAdapter } = await import('../providers/package-adapter.ts')
    return loadPackageAdapter({
      provider,
      folder: context.packageFolder ?? context.folder,
      package: entry.package ?? '',
      entry,
      factory: config.factory,
      api: entry.apis === undefined ? config.api : connection.api,
      usesDefaultCredentials: config.credentials !== undefined,
    })
  }
  try {
    return await entry.load()
  } catch (cause) {
    throw troupeError(
      'config_invalid',
      `The adapter of ${provider} could not be loaded: ${errorMessage(cause)}`,
      {
        ...(entry.baseURLVariable === undefined
          ? {}
          : { fix: `If ${entry.baseURLVariable} is set to an empty value in the shell, unset it.` }),
        cause,
      },
    )
  }
}

/** Returns the configuration of a provider; empty if there is none. */
export function configOf(provider: string, { providers = {} }: ModelContext): ProviderConfig {
  return getOwn(providers, provider) ?? {}
}

/**
 * Returns the key of the rate limiter: one per provider, credentials and address. Does not contain the API key
 * itself.
 */
function limiterKey(provider: string, { apiKey, baseURL, options }: ProviderConnection): string {
  return `${provider}:${sha256Hex(canonicalJson([apiKey, baseURL, options])).slice(0, 16)}`
}

/** Shorter keys, as used in tests and by local servers, may be ordinary words and are not redacted. */
const MIN_REDACTED_KEY_LENGTH = 6

function createKeyRedaction(secrets: readonly string[]): (text: string) => string {
  const hidden = secrets.filter(({ length }) => length >= MIN_REDACTED_KEY_LENGTH)
  return (text) => hidden.reduce((rest, secret) => rest.replaceAll(secret, '[redacted:key]'), text)
}

/** Returns a key for the provider and its address, without the API key. */
function endpointOf(provider: string, { baseURL, options }: ProviderConnection): string {
  return `${provider}:${sha256Hex(canonicalJson([baseURL, options])).slice(0, 16)}`
}
