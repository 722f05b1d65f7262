import type { ContentPart } from '@troupe/schema'

/** Returns one message as the value of `gen_ai.input.messages` or `gen_ai.output.messages`. */
export function messagesJson(role: 'user' | 'assistant', content: string): string {
  return JSON.stringify([{ role, parts: [{ type: 'text', content }] }])
}

/** Returns the content of a tool result as text, with the type and size of binary parts. */
export function resultContent(content: readonly ContentPart[]): string {
  return content
    .map((part) =>
      part.type === 'text' ? part.text : `[${part.mediaType}, ${part.base64.length} characters of Base64]`,
    )
    .join('\n')
}
