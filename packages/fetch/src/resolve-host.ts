import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { errorMessage, troupeError } from '@troupe/schema'
import { refusedUrlError } from './check-url.ts'
import type { FetchRules } from './fetch-types.ts'
import { isPublicAddress } from './public-address.ts'

/**
 * Resolves a host to the single IP address to connect to, so that DNS cannot change between check and use. If
 * any address of the host is not allowed, the host is refused. Throws `url_refused` or `url_failed`.
 */
export async function resolveHost(
  url: URL,
  rules: Pick<FetchRules, 'allowPrivate'>,
  lookup: (host: string) => Promise<readonly LookupAddress[]>,
): Promise<LookupAddress> {
  const host = url.hostname.replace(/^\[|\]$/gu, '')
  const family = isIP(host)
  const addresses = family === 0 ? await look(host, lookup) : [{ address: host, family }]
  const [first] = addresses
  if (first === undefined) throw troupeError('url_failed', `${host} has no address.`)
  const hidden =
    rules.allowPrivate === true ? undefined : addresses.find(({ address }) => !isPublicAddress(address))
  if (hidden === undefined) return first
  const way = hidden.address === host ? host : `${host} (${hidden.address})`
  throw refusedUrlError(
    `${url.origin}: ${way} is not an address of the public internet.`,
    'If that is meant, allow it: `--allow-private`.',
  )
}

async function look(
  host: string,
  lookup: (host: string) => Promise<readonly LookupAddress[]>,
): Promise<readonly LookupAddress[]> {
  try {
    return await lookup(host)
  } catch (cause) {
    throw troupeError('url_failed', `${host} was not found: ${errorMessage(cause)}.`, { cause })
  }
}
