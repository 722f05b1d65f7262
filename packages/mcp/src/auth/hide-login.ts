import { createRedactor, redactValues } from '@troupe/env'
import type { LoginSession } from './login-session.ts'

/** Hides a login in everything that passes through: a server may say again what it was sent. */
export function createLoginHiding(session: LoginSession | undefined): <T>(value: T) => T {
  if (session === undefined) return (value) => value
  let hidden = 0
  let redactor: ReturnType<typeof createRedactor>
  return (value) => {
    const secrets = session.secrets()
    // they are never forgotten, so their number tells of new ones
    if (secrets.length !== hidden)
      redactor = createRedactor(secrets.map((text) => ({ name: 'LOGIN', value: text })))
    hidden = secrets.length
    return redactor === undefined ? value : redactValues(value, redactor.redact)
  }
}
