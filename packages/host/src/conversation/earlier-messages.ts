import { carriedMessages } from '@troupe/core'
import { userMessage, type EarlierMessage, type Message } from '@troupe/schema'

/** Converts a history kept by the caller to messages that every provider accepts. */
export function earlierMessages(messages: readonly EarlierMessage[]): readonly Message[] {
  return carriedMessages(mergeConsecutive(messages).map(toMessage))
}

/** Merges consecutive messages of the same role. */
function mergeConsecutive(messages: readonly EarlierMessage[]): readonly EarlierMessage[] {
  const turns: EarlierMessage[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (last?.role === message.role)
      turns[turns.length - 1] = { role: last.role, text: `${last.text}\n\n${message.text}` }
    else turns.push(message)
  }
  return turns
}

function toMessage({ role, text }: EarlierMessage): Message {
  return role === 'user' ? userMessage(text) : { role, content: [{ type: 'text', text }] }
}
