import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { LanguageModel, Reasoning } from '@troupe/schema'
import type { ReasoningLevel } from '@troupe/schema/agent-keys'
import type { ProtocolName } from '../protocols/protocol-names.ts'
import { withCallOptions } from '../call-options/with-call-options.ts'

type ReasoningCall = LanguageModelV4CallOptions
type ProviderOptions = NonNullable<ReasoningCall['providerOptions']>

/** Levels that approximate a token budget, for providers that support only levels. */
const LEVELS: readonly (readonly [most: number, level: ReasoningLevel])[] = [
  [0, 'none'],
  [2048, 'low'],
  [8192, 'medium'],
  [Infinity, 'high'],
]
/** Smallest budget that Anthropic accepts. */
const ANTHROPIC_MIN_BUDGET = 1024

/**
 * Wraps a model to set its reasoning effort in the provider's form. The id and the configuration take
 * precedence over the call.
 */
export function withReasoning(
  model: LanguageModel,
  own: { readonly provider: ProtocolName; readonly name: string; readonly reasoning: Reasoning | undefined },
): LanguageModel {
  return withCallOptions(model, (call) => {
    const wanted = own.reasoning ?? budgetOf(call) ?? call.reasoning
    if (wanted === undefined) return call
    const { reasoning: _, ...rest } = call
    return typeof wanted === 'number' ? withBudget(rest, own, wanted) : withLevel(rest, own, wanted)
  })
}

/**
 * Returns the token budget of a call. It is passed as a provider option, because call options support only
 * levels.
 */
function budgetOf({ providerOptions }: ReasoningCall): number | undefined {
  const budget = providerOptions?.['troupe']?.['reasoningBudget']
  return typeof budget === 'number' ? budget : undefined
}

/** A model by the protocol of its provider and the provider's model name. */
interface ReasoningModel {
  readonly provider: ProtocolName
  readonly name: string
}

function withLevel(
  call: ReasoningCall,
  { provider }: ReasoningModel,
  reasoning: ReasoningLevel,
): ReasoningCall {
  if (provider === 'openai' && reasoning !== 'provider-default')
    // the adapter drops the level without a warning for names that it does not know, such as deployments
    return withOptions({ ...call, reasoning }, { openai: { forceReasoning: true } })
  if (provider === 'google' && reasoning !== 'provider-default' && reasoning !== 'none')
    return withOptions({ ...call, reasoning }, { google: { thinkingConfig: { includeThoughts: true } } })
  if (provider !== 'openrouter') return { ...call, reasoning }
  // the adapter does not support the level of a call
  if (reasoning === 'provider-default') return call
  return withOptions(call, {
    openrouter: { reasoning: { effort: reasoning === 'max' ? 'xhigh' : reasoning } },
  })
}

function withBudget(call: ReasoningCall, model: ReasoningModel, tokens: number): ReasoningCall {
  const { provider, name } = model
  const level = LEVELS.find(([most]) => tokens <= most)?.[1] ?? 'high'
  if (tokens === 0) return withLevel(call, model, level)
  const thinking = { type: 'enabled', budgetTokens: Math.max(ANTHROPIC_MIN_BUDGET, tokens) }
  if (provider === 'anthropic') return withOptions(call, { anthropic: { thinking } })
  if (provider === 'bedrock' && name.includes('anthropic.'))
    return withOptions(call, { amazonBedrock: { reasoningConfig: thinking } })
  if (provider === 'google')
    return withOptions(call, {
      google: { thinkingConfig: { thinkingBudget: tokens, includeThoughts: true } },
    })
  if (provider === 'openrouter')
    return withOptions(call, { openrouter: { reasoning: { max_tokens: tokens } } })
  return withLevel(call, model, level)
}

function withOptions(call: ReasoningCall, added: ProviderOptions): ReasoningCall {
  const merged = Object.entries(added).map(([key, value]) => [
    key,
    { ...value, ...call.providerOptions?.[key] },
  ])
  return { ...call, providerOptions: { ...call.providerOptions, ...Object.fromEntries(merged) } }
}
