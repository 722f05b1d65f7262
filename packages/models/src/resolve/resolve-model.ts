import { getOwn, isJsonObject, TroupeError, troupeError, type LanguageModel } from '@troupe/schema'
import type { ModelHandle } from '@troupe/schema/ports'
import { toContext } from '../config/to-context.ts'
import type {
  ModelContext,
  ProviderConfig,
  ProviderPrice,
  ResolveModelOptions,
} from '../config/model-context.ts'
import { planModel, type ModelPlan, type ModelSource } from './model-plan.ts'
import { configuredPrice, toModelPrice } from './list-prices.ts'
import { configOf, limiterOptions, openProvider, type ProviderSource } from './open-provider.ts'
import { MAX_TOOLS } from '../providers/provider-table.ts'
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

async function providerHandle(
  plan: ModelPlan,
  options: { readonly source: ProviderSource; readonly context: ModelContext },
): Promise<ModelHandle> {
  const { source } = options
  const { adapter, connection, config, handle } = await openProvider(plan, options)
  const { contextWindow } = plan
  const model = configureModel(await adapter.createModel(source.modelName, connection), {
    id: handle.id,
    config,
    source,
    contextWindow,
  })
  return {
    ...handle,
    ...wholeAnswers(config, source),
    maxTools: source.entry.hasNoTools === true ? 0 : MAX_TOOLS,
    ...(contextWindow === undefined ? {} : { contextWindow }),
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
