import { createRedactor, redactValues } from '@troupe/env'
import type { LoginSession } from './login-session.ts'

/** Creates a function that redacts the secrets of a session, because a server may echo what it was sent. */
export function createLoginHiding(session: LoginSession | undefined): <T>(value: T) => T {
  if (session === undefined) return (value) => value
  let hidden = 0
  let redactor: ReturnType<typeof createRedactor>
  return (value) => {
    const secrets = session.secrets()
    // secrets are only ever added, so a new length means new secrets
    if (secrets.length !== hidden)
      redactor = createRedactor(secrets.map((text) => ({ name: 'LOGIN', value: text })))
    hidden = secrets.length
    return redactor === undefined ? value : redactValues(value, redactor.redact)
  }
}
