import type { AuthProvider } from '@modelcontextprotocol/client'

/** Authentication of a connection to an HTTP server. */
export interface LoginSession extends AuthProvider {
  /** Records that the server requires an additional scope. */
  addRequiredScope(scope: string): Promise<void>
  /** Returns the secrets to redact in everything the server sends. */
  secrets(): readonly string[]
}
