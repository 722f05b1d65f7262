import { createHash, randomBytes } from 'node:crypto'

/** Parameters that an authorization code is bound to. Some of them must be repeated to redeem it. */
export interface Grant {
  readonly clientId: string
  readonly redirectUri: string
  readonly challenge: string
  readonly resource: string
  readonly scope: string
}

/** Single-use codes of an authorization server. */
export interface AuthorizationCodes {
  issue(grant: Grant): string
  /** Returns `undefined` if the code is unknown or was used. */
  redeem(code: string): Grant | undefined
}

export function createAuthorizationCodes(): AuthorizationCodes {
  const grants = new Map<string, Grant>()
  return {
    issue(grant) {
      const code = randomBytes(16).toString('hex')
      grants.set(code, grant)
      return code
    },
    redeem(code) {
      const grant = grants.get(code)
      grants.delete(code)
      return grant
    },
  }
}

/** Returns true if the challenge was derived from the verifier (RFC 7636, S256). */
export function provesChallenge(verifier: string, challenge: string): boolean {
  return createHash('sha256').update(verifier).digest('base64url') === challenge
}
