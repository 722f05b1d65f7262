import type { Clock, McpServerConfig } from '@troupe/schema'
import type { LoginStore } from './saved-login.ts'

/** What a login needs. */
export interface LogInOptions {
  readonly server: string
  /** With all variables expanded. */
  readonly config: McpServerConfig
  readonly principal: string
  readonly store: LoginStore
  /** Who we are, to the server and to the person at the login page. */
  readonly client: { readonly name: string; readonly version: string }
  readonly clock: Clock
  /** Tells the person where to go. No browser is opened from here. */
  show(url: URL): void
  readonly signal?: AbortSignal
  /** For the whole login, in ms. Default 10 min. */
  readonly timeout?: number
}

/**
 * Logs in to a server at an address with the help of a person (OAuth 2.1: discovery, PKCE, client id metadata or dynamic registration), keeps
 * the login in the store, and proves it by listing the tools. Resolves with their number. Rejects with `mcp_auth_failed`, `mcp_bad_config`,
 * `mcp_start_failed`, or `mcp_closed` when `signal` aborts.
 */
export async function logIn(options: LogInOptions): Promise<{ readonly tools: number }> {
  const { attemptLogin } = await import('./attempt-login.ts')
  return attemptLogin(options)
}
