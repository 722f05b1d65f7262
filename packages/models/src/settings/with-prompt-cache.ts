import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { LanguageModel, Message } from '@troupe/schema'
import { canonicalJson, sha256Hex } from '@troupe/schema/json'
import type { ProtocolName } from '../protocols/protocol-names.ts'
import { withCallOptions } from '../call-options/with-call-options.ts'

type CachedCall = LanguageModelV4CallOptions

/** A model and its prompt cache settings. */
interface CachingModel {
  readonly provider: ProtocolName
  readonly name: string
  /** True if the base URL is the provider's own, false for a compatible server. */
  readonly isOwnAddress: boolean
  /** From the configuration. If `undefined`, it depends on the provider. */
  readonly promptCache: boolean | undefined
}

/**
 * Wraps a model to send prompt cache hints. Anthropic and Bedrock get markers on the system message and on the
 * last message of a conversation with tools. OpenAI, xAI and Mistral get a key that routes calls with the same
 * prefix to the same machine. Other providers cache automatically or not at all.
 */
export function withPromptCache(model: LanguageModel, options: CachingModel): LanguageModel {
  const { provider, name, isOwnAddress, promptCache } = options
  if (promptCache === false) return model
  if (provider === 'anthropic') return withCallOptions(model, (call) => withCacheMarkers(call, 'anthropic'))
  if (provider === 'openrouter' && name.startsWith('anthropic/'))
    return withCallOptions(model, (call) => withCacheMarkers(call, 'openrouter'))
  if (provider === 'bedrock' && CACHED_ON_BEDROCK.test(name))
    return withCallOptions(model, (call) => withCacheMarkers(call, 'amazonBedrock'))
  if (WITH_KEY.has(provider) && (isOwnAddress || promptCache === true))
    return withCallOptions(model, (call) => withKey(call, provider))
  return model
}

/** Models that reject no cache point. */
const CACHED_ON_BEDROCK = /anthropic\.claude|amazon\.nova/u
/** Providers that route calls with the same key to the same machine. */
const WITH_KEY: ReadonlySet<ProtocolName> = new Set<ProtocolName>(['openai', 'xai', 'mistral'])

const MARK = Object.freeze({ cacheControl: Object.freeze({ type: 'ephemeral' }) })
const BEDROCK_MARK = Object.freeze({ cachePoint: Object.freeze({ type: 'default' }) })

/**
 * Marks the system message. Marks the last message only if there are tools, because a single call would pay
 * for a cache that is never read.
 */
function withCacheMarkers(call: CachedCall, key: string): CachedCall {
  const last = (call.tools ?? []).length > 0 ? call.prompt.length - 1 : -1
  const prompt = call.prompt.map((message, index) =>
    message.role === 'system' || index === last ? marked(message, key) : message,
  )
  return { ...call, prompt }
}

function marked(message: Message, key: string): Message {
  const { providerOptions = {} } = message
  const mark = key === 'amazonBedrock' ? BEDROCK_MARK : MARK
  return { ...message, providerOptions: { ...providerOptions, [key]: { ...providerOptions[key], ...mark } } }
}

function withKey(call: CachedCall, provider: string): CachedCall {
  const [first] = call.prompt
  const system = first?.role === 'system' ? first.content : ''
  const tools = (call.tools ?? []).map(({ name }) => name)
  const promptCacheKey = sha256Hex(canonicalJson([system, tools])).slice(0, 32)
  const options = { promptCacheKey, ...call.providerOptions?.[provider] }
  return { ...call, providerOptions: { ...call.providerOptions, [provider]: options } }
}
