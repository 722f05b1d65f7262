import type { AuthProvider } from '@modelcontextprotocol/client'
import { createRedactor, redactValues } from '@troupe/env'
import { troupeError, type TroupeError } from '@troupe/schema'

/** Authentication of a connection to an HTTP server. */
export interface LoginSession extends AuthProvider {
  /** Records that the server requires an additional scope. */
  addRequiredScope(scope: string): Promise<void>
  /** Returns the secrets to redact in everything the server sends. */
  secrets(): readonly string[]
}

/** Reason why a person has to log in. */
type LoginReason = 'none' | 'expired' | 'scope' | 'refused'

const REASONS: Readonly<Record<LoginReason, string>> = {
  none: 'requires a login',
  expired: 'no longer accepts its login',
  scope: 'requires a login with additional scopes',
  refused: 'rejected the configured `headers` (HTTP 401); correct them, or log in',
}

/** Creates an `mcp_needs_auth` error with the login command as its fix. */
export function loginRequiredError(server: string, reason: LoginReason, cause?: unknown): TroupeError {
  const command = `troupe servers login ${server}`
  return troupeError('mcp_needs_auth', `The MCP server "${server}" ${REASONS[reason]}: ${command}`, {
    fix: `Run \`${command}\`.`,
    ...(cause === undefined ? {} : { cause }),
  })
}

/** Returns the distinct scopes in order of appearance, separated by spaces; `undefined` if there are none. */
export function joinScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = new Set(scopes.flatMap((scope) => scope?.split(' ') ?? []).filter((word) => word !== ''))
  return words.size === 0 ? undefined : [...words].join(' ')
}

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
