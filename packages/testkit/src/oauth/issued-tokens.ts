import { randomBytes } from 'node:crypto'

/** Rights of a token. */
export interface TokenRights {
  readonly clientId: string
  readonly resource: string
  readonly scope: string
}

/** Response of a token endpoint. */
export interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly scope: string
}

/** Tokens of an authorization server. A refresh token can be used once; using it again revokes all tokens. */
export interface IssuedTokens {
  issue(rights: TokenRights): TokenAnswer
  /** Returns `undefined` if the token is unknown or was used. */
  refresh(token: string): TokenAnswer | undefined
  /** Returns `undefined` if the access token is unknown, expired or revoked. */
  rightsOf(accessToken: string): TokenRights | undefined
  /** Expires all access tokens. Refresh tokens remain valid. */
  expire(): void
  /** Revokes all tokens. */
  revoke(): void
}

export function createIssuedTokens(): IssuedTokens {
  const access = new Map<string, TokenRights>()
  const refresh = new Map<string, TokenRights>()
  const used = new Set<string>()

  function issue(rights: TokenRights): TokenAnswer {
    const accessToken = `access-${randomBytes(16).toString('hex')}`
    const refreshToken = `refresh-${randomBytes(16).toString('hex')}`
    access.set(accessToken, rights)
    refresh.set(refreshToken, rights)
    const { scope } = rights
    return {
      access_token: accessToken,
      refresh_token: refreshToken,
      token_type: 'Bearer',
      expires_in: 3600,
      scope,
    }
  }

  function revoke(): void {
    access.clear()
    refresh.clear()
  }

  return {
    issue,
    refresh(token) {
      if (used.has(token)) revoke()
      const rights = refresh.get(token)
      refresh.delete(token)
      used.add(token)
      return rights === undefined ? undefined : issue(rights)
    },
    rightsOf: (token) => access.get(token),
    expire: () => access.clear(),
    revoke,
  }
}
