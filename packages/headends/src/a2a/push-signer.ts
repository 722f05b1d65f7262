import { troupeError, type Clock } from '@troupe/schema'
import { calculateJwkThumbprint, exportJWK, SignJWT, type JSONWebKeySet } from 'jose'
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto'

/** Signs push notifications, so that receivers can check who sent them. */
export interface PushSigner {
  /** Returns a token that covers the body. */
  sign(body: string, claims: SignedClaims): Promise<string>
  /** Returns the public key. */
  keys(): Promise<JSONWebKeySet>
}

/** The claims of a notification, besides its times and the hash of its body. */
interface SignedClaims {
  readonly issuer: string
  readonly audience: string
  /** Id of the notification, the same in every attempt to send it. */
  readonly id: string
}

const ALGORITHM = 'ES256'
/** Time that a token is valid, in s. */
const LIFETIME_S = 300

/**
 * Creates the signer. Without a key it creates one, which other servers and this one after a restart do not know.
 * Throws `config_invalid` if the key is not a private P-256 key in PEM.
 */
export function createPushSigner(pem: string | undefined, clock: Pick<Clock, 'now'>): PushSigner {
  const key = pem === undefined ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : readKey(pem)
  let publicKey: ReturnType<typeof toPublicJwk> | undefined
  const publicJwk = (): ReturnType<typeof toPublicJwk> => (publicKey ??= toPublicJwk(key))
  return {
    async sign(body, { issuer, audience, id }) {
      const { kid } = await publicJwk()
      const now = Math.floor(clock.now() / 1000)
      return new SignJWT({ request_body_sha256: hash('sha256', body, 'hex') })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(now)
        .setExpirationTime(now + LIFETIME_S)
        .setJti(id)
        .sign(key)
    },
    keys: async () => ({ keys: [await publicJwk()] }),
  }
}

function readKey(pem: string): KeyObject {
  let key: KeyObject | undefined
  try {
    key = createPrivateKey(pem)
  } catch {
    // The error of the parser may quote the key.
  }
  if (key?.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  throw troupeError('config_invalid', 'server.a2a.signingKey: not a private P-256 key in PEM.', {
    fix: 'Create one with `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`.',
  })
}

async function toPublicJwk(
  key: KeyObject,
): Promise<JSONWebKeySet['keys'][number] & { readonly kid: string }> {
  const jwk = await exportJWK(createPublicKey(key))
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: ALGORITHM, use: 'sig' }
}
