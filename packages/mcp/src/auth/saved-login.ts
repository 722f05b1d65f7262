import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'

/** Identifies the login of one principal to one server. */
export interface LoginKey {
  readonly url: string
  readonly principal: string
}

/** A stored login. Contains secrets: store it where only its owner can read it, and never print it. */
export interface SavedLogin {
  /** Tokens with the issuer that issued them. They must be sent to no other issuer. */
  readonly tokens?: StoredOAuthTokens
  /** Client registration at that issuer. */
  readonly client?: StoredOAuthClientInformation
  /** Callback address that the client registration is bound to. */
  readonly redirectUrl?: string
  /** Scope that the server has required since the login. The next login requests it. */
  readonly wantedScope?: string
}

/** Store of logins. A read returns the last write, even if another process made it. */
export interface LoginStore {
  /** Returns `undefined` if there is no login. Rejects with `mcp_auth_failed` if it cannot be read. */
  read(key: LoginKey): Promise<SavedLogin | undefined>
  write(key: LoginKey, login: SavedLogin): Promise<void>
  /** Resolves to true if there was a login. */
  remove(key: LoginKey): Promise<boolean>
}
