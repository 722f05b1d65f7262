import type { ContentPart } from '@troupe/schema'
import { plainText } from '@troupe/timeline'

/** Returns the placeholder for binary data where only text can be shown. */
export function dataNote({ mediaType, base64 }: Extract<ContentPart, { type: 'data' }>): string {
  return `[${plainText(mediaType, { max: 80 })}, ${base64.length} base64 digits; see --json]`
}
