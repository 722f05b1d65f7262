import { isIP, BlockList } from 'node:net'
import { lookup as lookupHost } from 'node:dns/promises'
import { errorMessage, troupeError } from '@troupe/schema'
import type { FetchNetwork, FetchRules, HostAddress } from './fetch-types.ts'

/**
 * Resolves a host to the single IP address to connect to, so that DNS cannot change between check and use. If
 * any address of the host is not allowed, the host is refused. Throws `url_refused` or `url_failed`.
 */
export async function resolveHost(
  url: URL,
  rules: Pick<FetchRules, 'allowPrivate'>,
  lookup: (host: string) => Promise<readonly HostAddress[]>,
): Promise<HostAddress> {
  const host = url.hostname.replace(/^\[|\]$/gu, '')
  const family = isIP(host)
  const addresses = family === 0 ? await look(host, lookup) : [{ address: host, family }]
  const [first] = addresses
  if (first === undefined) throw troupeError('url_failed', `${host} has no IP address.`)
  const hidden =
    rules.allowPrivate === true ? undefined : addresses.find(({ address }) => !isPublicAddress(address))
  if (hidden === undefined) return first
  const way = hidden.address === host ? host : `${host} (${hidden.address})`
  throw refusedUrlError(
    `${url.origin}: ${way} is not a public address.`,
    'To allow private addresses, use `--allow-private`.',
  )
}

async function look(
  host: string,
  lookup: (host: string) => Promise<readonly HostAddress[]>,
): Promise<readonly HostAddress[]> {
  try {
    return await lookup(host)
  } catch (cause) {
    throw troupeError('url_failed', `${host} was not found: ${errorMessage(cause)}.`, { cause })
  }
}

/**
 * Checks and resolves a URL without fetching it. DNS may change afterwards, so a fetch checks again.
 * Throws `url_refused` or `url_failed`.
 */
export async function checkAddress(
  text: string,
  rules: Pick<FetchRules, 'allowHttp' | 'allowPrivate'>,
  { lookup = (host) => lookupHost(host, { all: true }) }: Pick<FetchNetwork, 'lookup'> = {},
): Promise<void> {
  await resolveHost(checkUrl(text, rules), rules, lookup)
}

/** IPv4 ranges outside the public internet, from the IANA special-purpose address registry. */
const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

/** Ranges within 2000::/3 that are not public: tunnels that embed an IPv4 address, and documentation. */
const SPECIAL_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const special = new BlockList()
for (const [net, bits] of SPECIAL_IPV4) special.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of SPECIAL_IPV6) special.addSubnet(net, bits, 'ipv6')
const unicast = new BlockList()
unicast.addSubnet('2000::', 3, 'ipv6')

/** Returns true for a public IP address. IPv6 forms that embed an IPv4 address are not public. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !special.check(address, 'ipv4')
  return family === 6 && unicast.check(address, 'ipv6') && !special.check(address, 'ipv6')
}

const MAX_LENGTH = 2048

/**
 * Parses a URL and checks that it may be fetched. Normalizes IPv4 hosts written in decimal, octal or
 * hexadecimal. Throws `url_refused`.
 */
export function checkUrl(text: string, rules: Pick<FetchRules, 'allowHttp'>, base?: URL): URL {
  if (text.length > MAX_LENGTH) throw refusedUrlError(`The URL is too long: ${text.length} characters.`)
  const url = URL.parse(text, base?.href)
  if (url === null) throw refusedUrlError(`"${shown(text)}" is not a valid URL.`)
  if (url.username !== '' || url.password !== '')
    throw refusedUrlError(`${url.host}: a URL must not contain a user name or password.`)
  if (url.protocol === 'http:' && rules.allowHttp !== true)
    throw refusedUrlError(
      `${url.href}: only https is allowed.`,
      'Use https, or allow http with `--allow-http`.',
    )
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refusedUrlError(`${shown(text)}: only https is allowed.`)
  if (base?.protocol === 'https:' && url.protocol === 'http:')
    throw refusedUrlError(`${base.href} redirects from https to http.`)
  return url
}

/** Creates the `url_refused` error. */
export function refusedUrlError(message: string, fix?: string): Error {
  return troupeError('url_refused', message, fix === undefined ? {} : { fix })
}

function shown(text: string): string {
  return text.slice(0, 100)
}
