import { redactValues } from '@troupe/env'
import { replaceMatches, TEXT_KINDS } from '@troupe/hooks'

/** Text that stands for what was redacted. */
export const REDACTED = '[redacted]'

/** Redacted texts, with and without the name of the secret. */
const REDACTED_TEXT = /\[redacted(?::[^\]\n]{0,200})?\]/u
/** A secret in a stored step, by its name. */
const SEALED = /\{\{secret:(?<name>[^{}:]+)(?::\d{1,3})?\}\}/gu

const replace = replaceMatches(TEXT_KINDS, [])

/**
 * Redacts a value for a file that people share: keys and tokens, email addresses and card numbers in every
 * text, and the names of secrets in stored steps. Stored events are already without the secrets of the team.
 */
export function redactCase<T>(value: T): T {
  return redactValues(value, (text) => replace(text.replaceAll(SEALED, '[redacted:$<name>]'), REDACTED))
}

/** Returns true if a text was redacted. */
export function isRedacted(text: string): boolean {
  return REDACTED_TEXT.test(text)
}

/** Returns the parts of a text that were not redacted. */
export function unredactedParts(text: string): readonly string[] {
  return text.split(new RegExp(REDACTED_TEXT, 'gu'))
}
