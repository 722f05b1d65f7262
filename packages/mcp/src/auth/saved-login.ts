import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'

/** Which login is meant: that of one principal to one address. */
export interface LoginKey {
  readonly url: string
  readonly principal: string
}

/** What is kept of a login. Holds secrets: it is stored where only its owner can read it, and never shown. */
export interface SavedLogin {
  /** Stamped with the issuer that gave them; they are sent to no other. */
  readonly tokens?: StoredOAuthTokens
  /** Who we are to that issuer. */
  readonly client?: StoredOAuthClientInformation
  /** Where the browser came back to; a registration holds for this address. */
  readonly redirectUrl?: string
  /** A scope that the server asked for since: the next login asks for it. */
  readonly wantedScope?: string
}

/** Where logins are kept. What it gives is never newer than what was written last, by whichever process. */
export interface LoginStore {
  /** Undefined: there is none. Rejects with `mcp_auth_failed` when it cannot be read. */
  read(key: LoginKey): Promise<SavedLogin | undefined>
  write(key: LoginKey, login: SavedLogin): Promise<void>
  /** True when there was one. */
  remove(key: LoginKey): Promise<boolean>
}
