import type { Redactor } from '@troupe/schema'

/**
 * Hides the secrets of a run that is replayed. Their values are not in a recording, and mostly not here: what stands for them there stays as
 * it is, and is shown as they would be.
 */
export function replayRedactor(own: Redactor | undefined): Redactor {
  const redact = (text: string): string =>
    (own?.redact(text) ?? text).replaceAll(SEALED, (_, name: string) => `[redacted:${name}]`)
  return {
    redact,
    // what is recorded was read with its own braces back in place
    seal: (text) => (own?.seal(text) ?? text).replaceAll(LITERAL, OPENING),
    reveal: (text) => text,
    pieces: () => ({ push: redact, end: () => '' }),
  }
}

const OPENING = '{{secret:'
const LITERAL = `${OPENING}}}`
const SEALED = /\{\{secret:([^{}:]+)(?::\d{1,3})?\}\}/gu
