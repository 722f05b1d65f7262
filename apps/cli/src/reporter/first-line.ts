import { plainText } from '@troupe/timeline'

/** Returns the first line of a description, at most 100 characters. */
export function firstLine(description: string): string {
  return plainText(description.trim().split('\n', 1)[0] ?? '', { max: 100 })
}
