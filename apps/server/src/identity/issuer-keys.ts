import type { SafeFetch } from '@troupe/fetch'
import {
  TroupeError,
  errorMessage,
  failure,
  isJsonObject,
  troupeError,
  type Clock,
  type JsonObject,
} from '@troupe/schema'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'

/** The metadata and the signing keys of an issuer, loaded on first use. */
export interface IssuerKeys {
  /** Returns the key that a token names. Rejects with `identity_unavailable`, or with an error of jose. */
  readonly find: JWTVerifyGetKey
  /** Returns the discovery document. Rejects with `identity_unavailable`. */
  metadata(): Promise<JsonObject>
}

/** The issuer, and its address rules. */
export interface IssuerLocation {
  /** URL exactly as in the tokens. */
  readonly issuer: string
  /** Allows private and loopback addresses. */
  readonly allowPrivate: boolean
}

interface IssuerContext {
  readonly safeFetch: SafeFetch
  readonly clock: Pick<Clock, 'monotonic' | 'now'>
  /** Called with the reason when the issuer cannot be used. */
  onError?(thrown: unknown): void
}

/** Time after which the keys are loaded again, in ms. */
const MAX_AGE_MS = 600_000
/** Minimum age of the keys, in ms, at which an unknown key makes them load again. */
const COOLDOWN_MS = 30_000
/** Time in ms for which a failed attempt is not repeated. */
const RETRY_MS = 5000
const TIMEOUT_MS = 5000
const MAX_BYTES = 256 * 1024

/** The documents of an issuer. */
interface LoadedIssuer {
  readonly metadata: JsonObject
  readonly findKey: ReturnType<typeof createLocalJWKSet>
  /** Monotonic time, in ms. */
  readonly at: number
}

/** The last attempt to load the documents, if it failed. */
interface FailedLoad {
  readonly cause: string
  readonly error: TroupeError
  /** Monotonic time until which there is no further attempt, in ms. */
  readonly until: number
}

/**
 * Creates the keys of an issuer. They are found by OpenID Connect Discovery and loaded again after ten minutes,
 * and when a token names an unknown key, so that keys can be rotated without a restart.
 */
export function createIssuerKeys(location: IssuerLocation, context: IssuerContext): IssuerKeys {
  const { clock, onError } = context
  let loaded: LoadedIssuer | undefined
  let loading: Promise<LoadedIssuer> | undefined
  let failed: FailedLoad | undefined

  async function attempt(): Promise<LoadedIssuer> {
    try {
      loaded = await loadIssuer(location, context)
      failed = undefined
      return loaded
    } catch (thrown) {
      const cause = errorMessage(thrown)
      // Logged once, not with every attempt.
      if (failed?.cause !== cause) onError?.(thrown)
      const retryAt = clock.now() + RETRY_MS
      const reason = failure('identity_unavailable', `The keys of ${location.issuer} cannot be loaded.`)
      const error = new TroupeError({ ...reason, retryAt })
      failed = { cause, error, until: clock.monotonic() + RETRY_MS }
      throw error
    } finally {
      loading = undefined
    }
  }

  function load(): Promise<LoadedIssuer> {
    if (failed !== undefined && clock.monotonic() < failed.until) return Promise.reject(failed.error)
    loading ??= attempt()
    return loading
  }

  function isYounger(ms: number, issuer: LoadedIssuer): boolean {
    return clock.monotonic() - issuer.at < ms
  }

  async function current(): Promise<LoadedIssuer> {
    return loaded !== undefined && isYounger(MAX_AGE_MS, loaded) ? loaded : load()
  }

  return {
    async find(header, token) {
      const issuer = await current()
      try {
        return await issuer.findKey(header, token)
      } catch (thrown) {
        if (!(thrown instanceof errors.JWKSNoMatchingKey) || isYounger(COOLDOWN_MS, issuer)) throw thrown
        return (await load()).findKey(header, token)
      }
    },
    metadata: async () => (await current()).metadata,
  }
}

/** Returns the URL of the discovery document of an issuer. */
export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/u, '')}/.well-known/openid-configuration`
}

/** Loads the discovery document and the keys. */
async function loadIssuer(location: IssuerLocation, context: IssuerContext): Promise<LoadedIssuer> {
  const { issuer } = location
  const url = discoveryUrl(issuer)
  const metadata = await fetchJson(url, location, context)
  const { issuer: actual, jwks_uri: keysUrl } = metadata
  // Text that only looks alike is another issuer, for example with a trailing slash.
  if (actual !== issuer)
    throw troupeError(
      'config_invalid',
      `server.oidc.issuer: the issuer at ${url} is ${JSON.stringify(actual)}, not "${issuer}".`,
      { fix: 'Set it to exactly the text that the document contains.' },
    )
  if (typeof keysUrl !== 'string') throw troupeError('config_invalid', `${url} has no jwks_uri.`)
  const keys = await fetchJson(keysUrl, location, context)
  const findKey = createLocalJWKSet(keys as unknown as JSONWebKeySet)
  return { metadata, findKey, at: context.clock.monotonic() }
}

async function fetchJson(
  url: string,
  { issuer, allowPrivate }: IssuerLocation,
  { safeFetch }: IssuerContext,
): Promise<JsonObject> {
  const allowHttp = issuer.startsWith('http:')
  const { body } = await safeFetch(url, {
    allowHttp,
    allowPrivate,
    maxBytes: MAX_BYTES,
    timeout: TIMEOUT_MS,
    headers: { accept: 'application/json' },
  }).catch((cause: unknown) => {
    throw troupeError('identity_unavailable', `server.oidc.issuer: ${errorMessage(cause)}`, {
      cause,
      fix: 'Check the address. If it is a private one, set `server.oidc.allowPrivate`.',
    })
  })
  const value = parseJson(Buffer.from(body).toString('utf8'))
  if (!isJsonObject(value)) throw troupeError('identity_unavailable', `${url} is not a JSON object.`)
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller rejects what is not an object.
    return undefined
  }
}
