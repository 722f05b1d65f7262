import { failure, troupeError, type Failure, type TroupeError } from '@troupe/schema'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { isPrincipalName, roleOf, type Identity, type RoleMapping } from './roles.ts'

/** A proxy in front of the server that authenticates users and names them in headers. */
export interface TrustedProxyOptions {
  /** Addresses of the proxy, such as `10.0.0.7` or `10.0.0.0/24`. */
  readonly peers: readonly string[]
  /** Header with the name of the user. */
  readonly userHeader: string
  /** Header with the roles of the user, separated by commas. Default: none, so that every user has the role `user`. */
  readonly rolesHeader?: string
  /** Roles by the values of `rolesHeader`. */
  readonly roles?: RoleMapping
}

/** The users that a trusted proxy names. */
export interface TrustedProxy {
  /** Removes the headers from a request that comes from any other address. Call it before anything reads them. */
  strip(request: IncomingMessage): void
  /** Returns the user of a request, `undefined` if it names none, or a failure for unusable headers. */
  identify(request: Pick<IncomingMessage, 'headersDistinct'>): Identity | Failure | undefined
}

/** Beginning of the principals of such users, so that they differ from all others. */
export const PROXY_PREFIX = 'proxy:'
/** Headers with another meaning, which a proxy passes on from the client. */
const OTHER_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'host',
  'origin',
  'referer',
  'x-api-key',
])

/** Creates the trust in a proxy. Throws `config_invalid` for options that cannot be used. */
export function createTrustedProxy({
  peers,
  userHeader,
  rolesHeader,
  roles,
}: TrustedProxyOptions): TrustedProxy {
  const trusted = toBlockList(peers)
  const user = readHeaderName('userHeader', userHeader)
  const groups = rolesHeader === undefined ? undefined : readHeaderName('rolesHeader', rolesHeader)
  if (user === groups) throw unusable('rolesHeader', 'must differ from userHeader.')
  if (roles !== undefined && groups === undefined) throw unusable('roles', 'needs rolesHeader.')
  const names = new Set([user, ...(groups === undefined ? [] : [groups])])
  return {
    strip(request) {
      if (isTrusted(request.socket.remoteAddress, trusted)) return
      const { headers, headersDistinct, rawHeaders } = request
      for (const name of names) {
        delete headers[name]
        delete headersDistinct[name]
      }
      // last, because Node derives the others from these on first use
      for (let index = rawHeaders.length - 2; index >= 0; index -= 2)
        if (names.has(rawHeaders[index]?.toLowerCase() ?? '')) rawHeaders.splice(index, 2)
    },
    identify({ headersDistinct }) {
      const given = headersDistinct[user] ?? []
      const name = Buffer.from(given[0] ?? '', 'latin1').toString('utf8')
      // Two of them mean that the proxy passes on what the client sends.
      if (given.length > 1) return failure('request_invalid', `${userHeader}: sent more than once.`)
      if (name === '') return undefined
      if (!isPrincipalName(name)) return failure('request_invalid', `${userHeader}: not a valid name.`)
      const values = groups === undefined ? [] : (headersDistinct[groups] ?? [])
      if (values.length > 1) return failure('request_invalid', `${rolesHeader}: sent more than once.`)
      const role = roleOf(
        values.flatMap((value) => value.split(',')).map((value) => value.trim()),
        roles,
      )
      return role === undefined
        ? failure('role_required', `${rolesHeader}: gives no role.`)
        : { principal: `${PROXY_PREFIX}${name}`, role }
    },
  }
}

function isTrusted(remoteAddress: string | undefined, trusted: BlockList): boolean {
  const address = remoteAddress?.replace(/%.*$/u, '').replace(/^::ffff:(?=\d+\.)/iu, '') ?? ''
  const family = isIP(address)
  return family !== 0 && trusted.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

function toBlockList(peers: readonly string[]): BlockList {
  if (peers.length === 0) throw unusable('peers', 'must have at least one address.')
  const list = new BlockList()
  for (const peer of peers) {
    const [address = '', bits, ...rest] = peer.split('/')
    const family = isIP(address)
    const most = family === 4 ? 32 : 128
    const prefix = bits === undefined ? most : /^\d{1,3}$/u.test(bits) ? Number(bits) : 0
    if (family === 0 || rest.length > 0 || prefix < 1 || prefix > most)
      throw unusable('peers', `"${peer}" is not an address such as 10.0.0.7 or a range such as 10.0.0.0/24.`)
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

function readHeaderName(key: string, name: string): string {
  const lower = name.toLowerCase()
  if (!/^[\w-]+$/u.test(name)) throw unusable(key, `"${name}" is not the name of a header.`)
  if (OTHER_HEADERS.has(lower)) throw unusable(key, `${name} has another meaning; use a header of the proxy.`)
  return lower
}

function unusable(key: string, problem: string): TroupeError {
  return troupeError('config_invalid', `server.trustedProxy.${key}: ${problem}`)
}
