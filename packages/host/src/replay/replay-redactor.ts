import type { Redactor } from '@troupe/schema'

/**
 * Redacts the secrets of a replayed run. A recording holds placeholders instead of their values. The
 * placeholders are never revealed and are displayed like redacted secrets.
 */
export function replayRedactor(own: Redactor | undefined): Redactor {
  const redact = (text: string): string =>
    (own?.redact(text) ?? text).replaceAll(SEALED, (_, name: string) => `[redacted:${name}]`)
  return {
    redact,
    // The recording was read with literal `{{secret:` unescaped, so the escaping is undone here, too.
    seal: (text) => (own?.seal(text) ?? text).replaceAll(LITERAL, OPENING),
    reveal: (text) => text,
    startStream: () => ({ push: redact, end: () => '' }),
  }
}

const OPENING = '{{secret:'
const LITERAL = `${OPENING}}}`
const SEALED = /\{\{secret:([^{}:]+)(?::\d{1,3})?\}\}/gu
