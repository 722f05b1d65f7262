import { troupeError, type TroupeError } from '@troupe/schema'

/** Reason why a person has to log in. */
export type LoginReason = 'none' | 'expired' | 'scope' | 'refused'

const REASONS: Readonly<Record<LoginReason, string>> = {
  none: 'wants a login',
  expired: 'does not accept its login any more',
  scope: 'wants a login with more rights',
  refused: 'does not accept the `headers` it is sent (HTTP 401); correct them, or log in',
}

/** Creates an `mcp_needs_auth` error with the login command as its fix. */
export function loginRequiredError(server: string, reason: LoginReason, cause?: unknown): TroupeError {
  const command = `troupe servers login ${server}`
  return troupeError('mcp_needs_auth', `The MCP server "${server}" ${REASONS[reason]}: ${command}`, {
    fix: `Run \`${command}\`.`,
    ...(cause === undefined ? {} : { cause }),
  })
}
