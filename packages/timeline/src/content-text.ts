import type { ContentPart } from '@troupe/schema'

/** The content of a tool result as one text: of what is no text, its kind and size. */
export function contentText(content: readonly ContentPart[]): string {
  return content.map(partText).join(' ')
}

function partText(part: ContentPart): string {
  return part.type === 'text' ? part.text : `[${part.mediaType}, ${part.base64.length} base64 digits]`
}
