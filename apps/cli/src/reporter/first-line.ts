import { plainText } from '@troupe/timeline'

/** The beginning of a description, for a row of a table. */
export function firstLine(description: string): string {
  return plainText(description.trim().split('\n', 1)[0] ?? '', { max: 100 })
}
