import { createHash, randomBytes } from 'node:crypto'

/** What a code was given for; it is worth a token only to who can show the rest. */
export interface Grant {
  readonly clientId: string
  readonly redirectUri: string
  readonly challenge: string
  readonly resource: string
  readonly scope: string
}

/** The codes of an authorization server: each is good once. */
export interface AuthorizationCodes {
  issue(grant: Grant): string
  /** Undefined for a code that is unknown, or was used. */
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

/** True when the verifier is the one that the challenge was made of (RFC 7636, S256). */
export function provesChallenge(verifier: string, challenge: string): boolean {
  return createHash('sha256').update(verifier).digest('base64url') === challenge
}
