import type { AssistantMessage, Message, ModelHandle } from '@troupe/schema'

const providers = new WeakMap<Message, string>()

/** Remembers the provider of an assistant message that contains data for that provider only. */
export function rememberProvider(message: Message, provider: string): void {
  if (message.role === 'assistant' && message.content.some(isProviderSpecific))
    providers.set(message, provider)
}

function isProviderSpecific(part: AssistantMessage['content'][number]): boolean {
  return isForeign(part) || part.providerOptions !== undefined
}

function isForeign({ type }: AssistantMessage['content'][number]): boolean {
  return type === 'reasoning' || type === 'reasoning-file' || type === 'custom'
}

/** Removes reasoning and provider data of other providers from the messages. */
export function messagesForProvider(
  messages: readonly Message[],
  provider: string,
  models: readonly ModelHandle[],
): readonly Message[] {
  if (models.length < 2) return messages
  return messages.map((message) => {
    const author = providers.get(message)
    return author === undefined || author === provider ? message : withoutForeignParts(message)
  })
}

function withoutForeignParts(message: Message): Message {
  if (message.role !== 'assistant') return message
  const content = message.content
    .filter((part) => !isForeign(part))
    .map((part) => {
      const { providerOptions: _, ...rest } = part
      return rest
    })
  return { role: 'assistant', content }
}
