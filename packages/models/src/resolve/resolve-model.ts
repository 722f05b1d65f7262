import { ENV_OPTION } from '@troupe/env'
import {
  errorMessage,
  getOwn,
  isJsonObject,
  TroupeError,
  troupeError,
  type Clock,
  type LanguageModel,
} from '@troupe/schema'
import { canonicalJson, sha256Hex } from '@troupe/schema/json'
import type { ModelHandle } from '@troupe/schema/ports'
import type {
  ModelContext,
  ProviderConfig,
  ProviderPrice,
  ResolveModelOptions,
} from '../config/model-context.ts'
import { planModel, type ModelPlan, type ModelSource } from './model-plan.ts'
import { configuredPrice, toModelPrice } from './list-prices.ts'
import {
  MAX_TOOLS,
  type ProviderAdapter,
  type ProviderConnection,
  type ProviderEntry,
} from '../providers/provider-table.ts'
import { withToolSchemas } from '../schemas/tool-schema.ts'
import { withFeatureErrors } from '../settings/with-feature-errors.ts'
import { withFiles } from '../settings/with-files.ts'
import { withProviderTools } from '../settings/with-provider-tools.ts'
import { withMessageOrder } from '../settings/with-message-order.ts'
import { withStatelessCalls } from '../settings/with-stateless-calls.ts'
import { withoutToolBlocks } from '../settings/without-tool-blocks.ts'
import { withPromptCache } from '../settings/with-prompt-cache.ts'
import { withReasoning } from '../settings/with-reasoning.ts'
import { withStructuredOutput } from '../structured/with-structured-output.ts'
import { DEFAULT_TIMEOUTS } from '../transport/timeout-watch.ts'
import { withCallOptions } from '../call-options/with-call-options.ts'

/**
 * Resolves a model id. Loads the adapter of the provider on first use and configures it from `options` alone.
 * Throws `model_unknown`, `env_missing`, `config_invalid` or `model_script_invalid`.
 */
export async function resolveModel(id: string, options: ResolveModelOptions = {}): Promise<ModelHandle> {
  const context = toContext(options)
  const plan = planModel(id, context)
  if (plan.problem !== undefined) throw new TroupeError(plan.problem)
  const { source } = plan
  if (source === undefined)
    throw troupeError('internal', `The model "${id}" has neither a source nor a problem.`)
  if (source.kind === 'provider') return providerHandle(plan, { source, context })
  return embeddedHandle(plan, { source, context })
}

function toContext({
  env = {},
  searched = [ENV_OPTION],
  folder = '.',
  ...rest
}: ResolveModelOptions): ModelContext {
  return {
    ...rest,
    searched,
    folder,
    env: typeof env === 'function' ? (name) => env(name) : (name) => getOwn(env, name),
  }
}

type ProviderSource = Extract<ModelSource, { readonly kind: 'provider' }>

async function providerHandle(
  { provider = '', name, price, contextWindow }: ModelPlan,
  options: {
    readonly source: ProviderSource
    readonly context: ModelContext
  },
): Promise<ModelHandle> {
  const { entry, connection, modelName } = options.source
  const config = configOf(provider, options.context)
  const adapter = await loadAdapter(provider, entry, { config, context: options.context, connection })
  const reached = { ...connection, fetch: await fetchFor(provider, config, options) }
  const { credential, secrets } = connection
  const model = configureModel(await adapter.createModel(modelName, reached), {
    id: `${provider}/${name}`,
    config,
    source: options.source,
    contextWindow,
  })
  return {
    id: `${provider}/${name}`,
    provider,
    limiterKey: limiterKey(provider, connection),
    ...limiterOptions(config),
    ...wholeAnswers(config, options.source),
    endpoint: endpointOf(provider, connection),
    ...(credential === undefined ? {} : { credential, hide: createKeyRedaction(secrets) }),
    maxTools: entry.hasNoTools === true ? 0 : MAX_TOOLS,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(price === undefined ? {} : { price: toModelPrice(price) }),
    open: () => model,
  }
}

/**
 * Returns when to request whole answers. A reasoning model streams by default, because its answer may take
 * long and the stream shows that it is still working.
 */
function wholeAnswers(
  { stream }: ProviderConfig,
  { reasoning = 'none' }: ProviderSource,
): Pick<ModelHandle, 'whole'> {
  if (stream === false) return { whole: 'always' }
  return stream === true || (reasoning !== 'none' && reasoning !== 0) ? {} : { whole: 'unwatched' }
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

function limiterOptions({
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

/** Wraps the adapter's model with the settings and workarounds of its provider. */
function configureModel(
  plain: LanguageModel,
  parts: {
    readonly id: string
    readonly config: ProviderConfig
    readonly source: ProviderSource
    readonly contextWindow: number | undefined
  },
): LanguageModel {
  const { id, config, contextWindow } = parts
  const { entry, connection, modelName: name, reasoning, structured: form, isOwnAddress } = parts.source
  const { protocol } = entry
  const isSized = protocol === 'ollama' && contextWindow !== undefined
  const { api } = connection
  const mapped = withProviderTools(plain, { id, protocol, api })
  const ordered = withMessageOrder(withStatelessCalls(mapped, protocol, api), protocol)
  const offered = withFiles(withoutToolBlocks(withToolSchemas(ordered, protocol), protocol), {
    id,
    protocol,
    api,
  })
  const model = isSized ? withContextWindow(offered, contextWindow) : offered
  const { promptCache } = config
  const cached = withPromptCache(model, { provider: protocol, name, isOwnAddress, promptCache })
  const structured = withStructuredOutput(cached, { provider: protocol, name, form })
  const complete = withReasoning(structured, { provider: protocol, name, reasoning })
  // the rules for the adapters of this package prevent such warnings
  return entry.package === undefined && entry.hasNoTools !== true
    ? complete
    : withFeatureErrors(complete, entry, id)
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

/** Creates the handle of an embedded model. It is free unless the configuration sets a price. */
async function embeddedHandle(
  { provider = '', name }: ModelPlan,
  options: {
    readonly source: Exclude<ModelSource, { readonly kind: 'provider' }>
    readonly context: ModelContext
  },
): Promise<ModelHandle> {
  const id = name === '' ? provider : `${provider}/${name}`
  const config = configOf(provider, options.context)
  const { prices, models = {} } = config
  const contextWindow = getOwn(models, name)?.contextWindow
  const price = toModelPrice(configuredPrice(prices, [name]) ?? FREE)
  return {
    id,
    provider,
    limiterKey: id,
    ...limiterOptions(config),
    price,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    open: await embeddedModel(options.source),
  }
}

function configOf(provider: string, { providers = {} }: ModelContext): ProviderConfig {
  return getOwn(providers, provider) ?? {}
}

const FREE: ProviderPrice = Object.freeze({ input: 0, output: 0 })

async function embeddedModel(
  source: Exclude<ModelSource, { readonly kind: 'provider' }>,
): Promise<ModelHandle['open']> {
  if (source.kind === 'script') {
    const { openScript } = await import('../script/open-script.ts')
    return ({ agent, calls }) => openScript(source.script, agent, calls)
  }
  if (source.kind === 'replay') {
    const { openReplay } = await import('../replay/open-replay.ts')
    return openReplay(source.cassette, source.file)
  }
  const { passthroughModel } = await import('../embedded/embedded-model.ts')
  return passthroughModel
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

/**
 * Sets the context window of an Ollama model. Its default window is small, and longer prompts lose their
 * beginning.
 */
function withContextWindow(model: LanguageModel, tokens: number): LanguageModel {
  return withCallOptions(model, (call) => {
    const own = call.providerOptions?.['ollama'] ?? {}
    const given = own['options']
    const options = { num_ctx: tokens, ...(isJsonObject(given) ? given : {}) }
    return { ...call, providerOptions: { ...call.providerOptions, ollama: { ...own, options } } }
  })
}
