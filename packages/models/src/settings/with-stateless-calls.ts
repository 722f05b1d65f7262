import type { LanguageModel } from '@troupe/schema'
import type { ApiName, ProtocolName } from '../protocols/protocol-names.ts'
import { withCallOptions } from '../call-options/with-call-options.ts'

/**
 * Wraps a model of the Responses API so that the provider stores no requests and answers, as in other APIs.
 * The history then contains the reasoning in encrypted form.
 */
export function withStatelessCalls(
  model: LanguageModel,
  protocol: ProtocolName,
  api: ApiName,
): LanguageModel {
  const isResponses = (protocol === 'openai' && api === 'responses') || protocol === 'xai'
  if (!isResponses) return model
  return withCallOptions(model, (call) => {
    const own = { store: false, ...call.providerOptions?.[protocol] }
    return { ...call, providerOptions: { ...call.providerOptions, [protocol]: own } }
  })
}
