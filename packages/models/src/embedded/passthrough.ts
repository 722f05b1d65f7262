import type { LanguageModel } from '@troupe/schema'
import { embeddedModel } from './embedded-model.ts'
import { estimateUsage } from './estimate-usage.ts'
import { lastUserText } from './last-user-text.ts'

/** Creates a model that repeats the last user message. */
export function passthroughModel(): LanguageModel {
  return embeddedModel({ provider: 'passthrough', modelId: 'passthrough' }, ({ prompt }) => {
    const text = lastUserText(prompt)
    return { text, usage: estimateUsage(prompt, { answer: text }) }
  })
}
