import type { Message, ToolMessage } from '@troupe/schema'
import { byteLength } from '../calls/cap-result.ts'

type ToolMessagePart = ToolMessage['content'][number]

/** Maximum bytes of a result that is not trimmed: it is about as informative as the note would be. */
const WORTH_TRIMMING = 400

/** Replaces large tool results by a note of their size. Messages without any are returned unchanged. */
export function trimResults(messages: readonly Message[]): {
  readonly messages: readonly Message[]
  readonly trimmed: number
} {
  let trimmed = 0
  const shorter = messages.map((message): Message => {
    if (message.role !== 'tool') return message
    const content = message.content.map((part) => {
      const short = shorten(part)
      if (short !== part) trimmed += 1
      return short
    })
    return content.every((part, index) => part === message.content[index])
      ? message
      : Object.freeze({ ...message, content })
  })
  return { messages: shorter, trimmed }
}

function shorten(part: ToolMessagePart): ToolMessagePart {
  if (part.type !== 'tool-result') return part
  const bytes = byteLength(JSON.stringify(part.output))
  if (bytes <= WORTH_TRIMMING) return part
  const value = `[result of ${bytes} bytes left out to shorten the conversation]`
  const isError = part.output.type === 'error-text' || part.output.type === 'error-json'
  return { ...part, output: { type: isError ? 'error-text' : 'text', value } }
}
