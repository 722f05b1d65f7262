import { randomBytes } from 'node:crypto'

/** What a token is good for. */
export interface TokenRights {
  readonly clientId: string
  readonly resource: string
  readonly scope: string
}

/** An answer of a token endpoint. */
export interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly scope: string
}

/** The tokens of an authorization server. A refresh token is good once: who shows one again loses all that came of it. */
export interface IssuedTokens {
  issue(rights: TokenRights): TokenAnswer
  /** Undefined for one that is unknown, or was used before. */
  refresh(token: string): TokenAnswer | undefined
  /** Undefined for an access token that is not good, or not any more. */
  rightsOf(accessToken: string): TokenRights | undefined
  /** Access tokens end now; refresh tokens stay good. */
  expire(): void
  /** Everything ends. */
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
