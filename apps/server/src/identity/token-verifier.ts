import type { SafeFetch } from '@troupe/fetch'
import {
  TroupeError,
  failure,
  toFailure,
  troupeError,
  type Clock,
  type Failure,
  type JsonObject,
} from '@troupe/schema'
import { errors, jwtVerify, type JWTVerifyOptions, type JWTVerifyResult } from 'jose'
import { claimTexts, missingClaim, readClaim, readScopes, type ClaimValue } from './claims.ts'
import { createIssuerKeys, type IssuerKeys } from './issuer-keys.ts'
import { isPrincipalName, roleOf, type Identity, type RoleMapping } from './roles.ts'
import { createUsedTokens } from './used-tokens.ts'

/** Signature algorithms with a public key. */
export const SIGNATURE_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const

/** An identity provider whose tokens the server accepts (OpenID Connect). */
export interface OidcOptions {
  /** URL of the provider, exactly as in its tokens and its discovery document. */
  readonly issuer: string
  /** Accepted audiences. A token must name at least one of them. */
  readonly audience: string | readonly string[]
  /** The claims that hold the name and the roles of a user. */
  readonly claims?: {
    /** Claim that identifies the caller. Default: `sub`. */
    readonly principal?: string
    /** Claim with the roles of the caller. Default: none, so that every caller is a user. */
    readonly role?: string
    /** Claims that a token must have, with their accepted values. */
    readonly required?: Readonly<Record<string, ClaimValue | readonly ClaimValue[]>>
  }
  /** Roles by the values of `claims.role`. */
  readonly roles?: RoleMapping
  /** Scopes that a token must have. Default: none. */
  readonly scopes?: readonly string[]
  /** Accepted signature algorithms. Default: all of {@link SIGNATURE_ALGORITHMS}. */
  readonly algorithms?: readonly (typeof SIGNATURE_ALGORITHMS)[number][]
  /** True to accept each token only once, by its `jti`. */
  readonly singleUse?: boolean
  /** Allows a provider at a private or loopback address. */
  readonly allowPrivate?: boolean
}

/** Verification of the tokens of an identity provider. */
export interface TokenVerifier extends Pick<IssuerKeys, 'metadata'> {
  /** Returns the caller of a token, or why the token is not accepted. */
  verify(token: string): Promise<Identity | Failure>
}

/** Accepted difference between the clocks of the server and the provider, in seconds. */
const CLOCK_TOLERANCE_S = 30
/** Types of tokens, without `application/`. Others are not access tokens. */
const TOKEN_TYPES: readonly (string | undefined)[] = [undefined, 'jwt', 'at+jwt']

/** Creates the verification. Throws `config_invalid` for options that cannot be used. */
export function createTokenVerifier(
  options: OidcOptions,
  context: {
    readonly safeFetch: SafeFetch
    readonly clock: Pick<Clock, 'monotonic' | 'now'>
    onError?(thrown: unknown): void
  },
): TokenVerifier {
  requireUsable(options)
  const { issuer, audience, claims: { principal = 'sub' } = {}, singleUse = false } = options
  const { clock } = context
  const { find, metadata } = createIssuerKeys(
    { issuer, allowPrivate: options.allowPrivate ?? false },
    context,
  )
  const used = createUsedTokens(clock)
  const rules: JWTVerifyOptions = {
    issuer,
    audience: [audience].flat(),
    algorithms: [...(options.algorithms ?? SIGNATURE_ALGORITHMS)],
    clockTolerance: CLOCK_TOLERANCE_S,
    requiredClaims: ['exp', ...(singleUse ? ['jti'] : [])],
  }
  return {
    metadata,
    async verify(token) {
      let verified: JWTVerifyResult
      try {
        verified = await jwtVerify(token, find, { ...rules, currentDate: new Date(clock.now()) })
      } catch (thrown) {
        return refusalOf(thrown)
      }
      const { payload, protectedHeader } = verified
      const claims = payload as JsonObject
      if (!TOKEN_TYPES.includes(protectedHeader.typ?.toLowerCase().replace(/^application\//u, '')))
        return refused('The token is not an access token.')
      // Without a proof of its key, such a token may be stolen.
      if (payload['cnf'] !== undefined) return refused('The token is bound to a key (cnf).')
      const name = readClaim(claims, principal)
      if (typeof name !== 'string' || !isPrincipalName(name))
        return refused(`The token has no usable claim "${principal}".`)
      const identity = identityOf(claims, name, options)
      if (!singleUse || 'code' in identity) return identity
      const { jti = '', exp = Infinity } = payload
      const use = used.use(jti, (exp + CLOCK_TOLERANCE_S) * 1000)
      if (use === 'repeated') return refused('The token was used before.')
      return use === 'first'
        ? identity
        : failure('server_busy', 'Too many tokens were used and have not expired.')
    },
  }
}

/** Returns the caller with its role, or why it has no access. */
function identityOf(
  claims: JsonObject,
  name: string,
  { issuer, claims: { role, required = {} } = {}, roles, scopes = [] }: OidcOptions,
): Identity | Failure {
  const granted = readScopes(claims)
  const scope = scopes.find((wanted) => !granted.has(wanted))
  if (scope !== undefined) return failure('scope_required', `The token lacks the scope "${scope}".`)
  const missing = missingClaim(claims, required)
  if (missing !== undefined)
    return failure('role_required', `The claim "${missing}" of the token does not give access.`)
  const found = roleOf(role === undefined ? [] : claimTexts(claims, role), roles)
  return found === undefined
    ? failure('role_required', `The claim "${String(role)}" of the token gives no role.`)
    : { principal: `${issuer}#${name}`, role: found }
}

function refused(message: string): Failure {
  return failure('token_required', message)
}

/** Returns why jose or the keys refused a token. Rethrows unexpected errors. */
function refusalOf(thrown: unknown): Failure {
  if (thrown instanceof TroupeError) return toFailure(thrown)
  if (thrown instanceof errors.JWTExpired) return refused('The token has expired.')
  if (thrown instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason } = thrown
    return reason === 'missing'
      ? refused(`The token has no claim "${claim}".`)
      : refused(claim === 'nbf' ? 'The token is not valid yet.' : `The token has another "${claim}".`)
  }
  if (thrown instanceof errors.JOSEError) return refused('The token is not valid.')
  throw thrown
}

/** Hosts whose provider may be reached over http, for development. */
const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1'])

function requireUsable({ issuer, audience, claims, roles, scopes = [], allowPrivate }: OidcOptions): void {
  const url = URL.parse(issuer)
  if (url === null || !/^https?:$/u.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw unusable('issuer', `"${issuer}" is not a URL without query and fragment.`)
  if (url.protocol === 'http:' && !(LOCAL_HOSTS.has(url.hostname) && allowPrivate === true))
    throw unusable('issuer', 'must use https; http is only for 127.0.0.1 and localhost, with allowPrivate.')
  if ([audience].flat().length === 0 || [audience].flat().includes(''))
    throw unusable('audience', 'must name at least one audience.')
  if (roles !== undefined && claims?.role === undefined)
    throw unusable('roles', 'needs claims.role, the claim with the roles of the caller.')
  if (scopes.some((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/u.test(scope) || scope === 'offline_access'))
    throw unusable('scopes', 'must be scopes of access tokens, without spaces and without offline_access.')
}

function unusable(key: string, problem: string): TroupeError {
  return troupeError('config_invalid', `server.oidc.${key}: ${problem}`)
}
