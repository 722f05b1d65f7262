import type { Clock, McpServerConfig } from '@troupe/schema'
import type { LoginStore } from '../auth/login-store.ts'

/** Options of `logIn`. */
export interface LogInOptions {
  readonly server: string
  /** Server definition with all variables expanded. */
  readonly config: McpServerConfig
  readonly principal: string
  readonly store: LoginStore
  /** Client name and version for the server and the login page. */
  readonly client: { readonly name: string; readonly version: string }
  readonly clock: Clock
  /** Shows the person the address of the login page. `logIn` does not open a browser. */
  show(url: URL): void
  readonly signal?: AbortSignal
  /** Time limit for the whole login, in ms. Default: 10 minutes. */
  readonly timeout?: number
}

/**
 * Logs in to an HTTP server with the help of a person (OAuth 2.1: discovery, PKCE, client id metadata or
 * dynamic registration). Verifies the login by listing the tools, saves it in the store and resolves with the
 * number of tools. Rejects with `mcp_auth_failed`, `mcp_bad_config`, `mcp_start_failed`, or `mcp_closed` if
 * `signal` aborts.
 */
export async function logIn(options: LogInOptions): Promise<{ readonly tools: number }> {
  const { attemptLogin } = await import('./attempt-login.ts')
  return attemptLogin(options)
}

/** Deletes the login of a principal to a server. Resolves to true if there was one. */
export function logOut(options: {
  readonly url: string
  readonly principal: string
  readonly store: LoginStore
}): Promise<boolean> {
  const { url, principal, store } = options
  return store.remove({ url: new URL(url).href, principal })
}
