import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { LanguageModel, Message } from '@troupe/schema'
import { canonicalJson, sha256Hex } from '@troupe/schema/json'
import { withCallOptions } from '../call-options/with-call-options.ts'

type CachedCall = LanguageModelV4CallOptions

/** A model and its prompt cache settings. */
interface CachingModel {
  readonly provider: string
  readonly name: string
  /** True if the base URL is the provider's own, false for a compatible server. */
  readonly isOwnAddress: boolean
  /** From the configuration. If `undefined`, it depends on the provider. */
  readonly promptCache: boolean | undefined
}

/**
 * Wraps a model to send prompt cache hints. Anthropic gets markers on the system message and on the last
 * message of a conversation with tools. OpenAI gets a key that routes calls with the same prefix to the same
 * machine. Other providers cache automatically or not at all.
 */
export function withPromptCache(model: LanguageModel, options: CachingModel): LanguageModel {
  const { provider, name, isOwnAddress, promptCache } = options
  if (promptCache === false) return model
  if (provider === 'anthropic') return withCallOptions(model, (call) => withCacheMarkers(call, 'anthropic'))
  if (provider === 'openrouter' && name.startsWith('anthropic/'))
    return withCallOptions(model, (call) => withCacheMarkers(call, 'openrouter'))
  if (provider === 'openai' && (isOwnAddress || promptCache === true)) return withCallOptions(model, withKey)
  return model
}

const MARK = Object.freeze({ cacheControl: Object.freeze({ type: 'ephemeral' }) })

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
  return { ...message, providerOptions: { ...providerOptions, [key]: { ...providerOptions[key], ...MARK } } }
}

function withKey(call: CachedCall): CachedCall {
  const [first] = call.prompt
  const system = first?.role === 'system' ? first.content : ''
  const tools = (call.tools ?? []).map(({ name }) => name)
  const promptCacheKey = sha256Hex(canonicalJson([system, tools])).slice(0, 32)
  const openai = { promptCacheKey, ...call.providerOptions?.['openai'] }
  return { ...call, providerOptions: { ...call.providerOptions, openai } }
}
