import type { LanguageModel, Message } from '@troupe/schema'
import type { ProtocolName } from '../protocols/protocol-names.ts'
import { withCallOptions } from '../call-options/with-call-options.ts'

/** Wraps a model to send only sequences of messages and tool choices that its provider accepts. */
export function withMessageOrder(model: LanguageModel, protocol: ProtocolName): LanguageModel {
  if (protocol !== 'mistral') return model
  return withCallOptions(model, (call) => ({ ...call, prompt: answeredResults(call.prompt) }))
}

/** Adds an answer between tool results and a user message, because Mistral rejects the latter there. */
function answeredResults(prompt: readonly Message[]): Message[] {
  return prompt.flatMap((message, index): Message[] =>
    message.role === 'user' && prompt[index - 1]?.role === 'tool' ? [ANSWER, message] : [message],
  )
}

const ANSWER: Message = { role: 'assistant', content: [{ type: 'text', text: 'I have the results.' }] }
