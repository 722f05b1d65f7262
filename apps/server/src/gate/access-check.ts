import { failure, type Failure } from '@troupe/schema'

/** The address of the server, and the origins that may call it. */
interface AccessRules {
  /** Hostname as configured, such as `127.0.0.1`, `0.0.0.0` or a name. */
  readonly hostname: string
  readonly port: number
  /** Further allowed origins, such as `https://agents.example.com`. Requests may be for their hosts too. */
  readonly allowedOrigins: readonly string[]
}

/** Returns a failure to reject a request because of its headers, or `undefined` to accept it. */
export type AccessCheck = (headers: {
  readonly host: string | undefined
  readonly origin: string | undefined
}) => Failure | undefined

/**
 * Creates a check against DNS rebinding (a foreign `Host`) and cross-site requests (a foreign `Origin`). On a
 * loopback address only the server's own names and port are accepted. On other addresses every numeric
 * address is accepted too, because only names can be rebound.
 */
export function createAccessCheck({ hostname, port, allowedOrigins }: AccessRules): AccessCheck {
  const allowed = new Set(allowedOrigins.map((origin) => new URL(origin).origin))
  const hosts = new Set([
    ...ownHosts(hostname).flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])),
    ...[...allowed].map((origin) => new URL(origin).host),
  ])
  const isOpen = !isLoopback(hostname)
  return ({ host, origin }) => {
    const name = host?.toLowerCase()
    if (name === undefined || !(hosts.has(name) || (isOpen && isAddress(name, port))))
      return failure('request_refused', `The host ${quoted(host)} is not a name of this server.`)
    if (origin === undefined || allowed.has(origin)) return undefined
    return origin === `http://${name}` || origin === `https://${name}`
      ? undefined
      : failure('request_refused', `Pages from ${quoted(origin)} may not call this server.`)
  }
}

/** Returns true for hosts that only this machine can reach. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '::1' || /^127(?:\.\d{1,3}){3}$/u.test(hostname)
}

function ownHosts(hostname: string): readonly string[] {
  if (hostname === '::1' || hostname === 'localhost') return ['localhost', '[::1]', '127.0.0.1']
  if (isLoopback(hostname)) return ['localhost', hostname]
  return [...ownHosts('localhost'), hostname.includes(':') ? `[${hostname}]` : hostname.toLowerCase()]
}

/** Returns true for a numeric address with the right port. */
function isAddress(host: string, port: number): boolean {
  const [, address, own = '80'] = /^(\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])(?::(\d+))?$/u.exec(host) ?? []
  return address !== undefined && Number(own) === port
}

function quoted(value: string | undefined): string {
  return value === undefined ? '(none)' : JSON.stringify(value.slice(0, 100))
}
