import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { canonicalJson, sha256Hex, type LanguageModel, type Message } from '@troupe/schema'
import { withCallOptions } from '../with-call-options.ts'

type Call = LanguageModelV4CallOptions

/** A model whose provider keeps the beginning of a prompt where it is told to. */
export interface CachingModel {
  readonly provider: string
  readonly name: string
  /** The provider's own address, and not a server that speaks like it. */
  readonly isOwnAddress: boolean
  /** As the configuration says it; none: where it is known to help. */
  readonly promptCache: boolean | undefined
}

/**
 * The same model, told what of a prompt it will see again: the system message with the tools, and all of a conversation that goes on. OpenAI gets a key, so that
 * calls with one beginning come to one machine; others cache by themselves, or not at all.
 */
export function withPromptCache(model: LanguageModel, options: CachingModel): LanguageModel {
  const { provider, name, isOwnAddress, promptCache } = options
  if (promptCache === false) return model
  if (provider === 'anthropic') return withCallOptions(model, (call) => withMarks(call, 'anthropic'))
  if (provider === 'openrouter' && name.startsWith('anthropic/'))
    return withCallOptions(model, (call) => withMarks(call, 'openrouter'))
  if (provider === 'openai' && (isOwnAddress || promptCache === true)) return withCallOptions(model, withKey)
  return model
}

const MARK = Object.freeze({ cacheControl: Object.freeze({ type: 'ephemeral' }) })

/** Marks the system message, and the last message where tools are there to go on with: one call alone would pay for a cache that nobody reads. */
function withMarks(call: Call, key: string): Call {
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

function withKey(call: Call): Call {
  const [first] = call.prompt
  const system = first?.role === 'system' ? first.content : ''
  const tools = (call.tools ?? []).map(({ name }) => name)
  const promptCacheKey = sha256Hex(canonicalJson([system, tools])).slice(0, 32)
  const openai = { promptCacheKey, ...call.providerOptions?.['openai'] }
  return { ...call, providerOptions: { ...call.providerOptions, openai } }
}
