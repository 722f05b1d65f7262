import type { ContentPart } from '@troupe/schema'
import { plainText } from '@troupe/timeline'

/** What stands for data that is no text where only text can be shown. */
export function dataNote({ mediaType, base64 }: Extract<ContentPart, { type: 'data' }>): string {
  return `[${plainText(mediaType, { max: 80 })}, ${base64.length} base64 digits; see --json]`
}
