import type { ContentPart } from '@troupe/schema'

/**
 * Joins the content of a tool result into one text. Other parts are replaced by their media type and size.
 */
export function contentText(content: readonly ContentPart[]): string {
  return content.map(partText).join(' ')
}

function partText(part: ContentPart): string {
  return part.type === 'text' ? part.text : `[${part.mediaType}, ${part.base64.length} base64 digits]`
}
