import type { LanguageModel } from '@troupe/schema'
import { wrapLanguageModel } from 'ai'

/** Converts a model of v3, as packages for AI SDK 6 create, to v4. Import on demand: `ai` is large. */
export function convertModel(model: Parameters<typeof wrapLanguageModel>[0]['model']): LanguageModel {
  return wrapLanguageModel({ model, middleware: [] })
}
