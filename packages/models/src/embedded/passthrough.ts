import type { LanguageModel } from '@troupe/schema'
import { embeddedModel } from './embedded-model.ts'
import { estimateUsage } from './estimate-usage.ts'
import { lastUserText } from './last-user-text.ts'

/** A model that repeats the last message of the user. */
export function passthroughModel(): LanguageModel {
  return embeddedModel({ provider: 'passthrough', modelId: 'passthrough' }, ({ prompt }) => {
    const text = lastUserText(prompt)
    return { text, usage: estimateUsage(prompt, { answer: text }) }
  })
}
