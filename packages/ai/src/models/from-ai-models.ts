import { troupeError, type LanguageModel } from '@troupe/schema'
import { wrapLanguageModel, type LanguageModel as AiModel } from 'ai'

/**
 * Converts a model of the AI SDK, of any version of its provider specification, to a model for `createHost` and
 * `openSession`. Throws `model_unknown` for a name, which the AI SDK would send to its gateway.
 */
export function fromAiModel(model: AiModel): LanguageModel {
  if (typeof model !== 'string') return wrapLanguageModel({ model, middleware: [] })
  throw troupeError('model_unknown', `"${model}" is the name of a model, not a model.`, {
    fix: 'Pass the model of a provider, or use the name as a model ID of Troupe.',
  })
}

/** A provider of the AI SDK, such as the result of `customProvider` or `createProviderRegistry`. */
export interface AiProvider<Id extends string> {
  languageModel(id: Id): Exclude<AiModel, string>
}

/**
 * Returns models of a provider or registry for `models` of `createHost`, by the IDs that cards use for them. Throws
 * the error of the provider for an unknown ID.
 */
export function fromAiProvider<Id extends string>(
  provider: AiProvider<Id>,
  ids: readonly Id[],
): Readonly<Record<string, LanguageModel>> {
  return Object.fromEntries(ids.map((id) => [id, fromAiModel(provider.languageModel(id))]))
}
