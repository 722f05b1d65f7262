import type { AuthProvider } from '@modelcontextprotocol/client'

/** How a connection to an address proves who it acts for. */
export interface LoginSession extends AuthProvider {
  /** The server asked for more rights than the login has. */
  wantScope(scope: string): Promise<void>
  /** What must not be seen in anything that the server says. */
  secrets(): readonly string[]
}
