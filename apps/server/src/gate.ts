import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { errorResponse, retryHeader, type Caller, type EventSource, type Headend } from '@troupe/headends'
import { failure } from '@troupe/schema'
import type { Context, MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { AccessCheck } from './access-check.ts'
import { clientAddress } from './client-address.ts'
import type { ErrorShapes } from './error-shapes.ts'
import { limitBody } from './limit-body.ts'
import type { Principals } from './principals.ts'
import type { RateLimit } from './rate-limit.ts'

/** Where a headend leaves the events of its answer, and the headers before them. */
export interface WithEvents {
  stream?: { readonly events: EventSource; readonly headers: Readonly<Record<string, string>> }
}

/** What a request carries through the server. */
export interface ServerBindings {
  /** There is a caller from the gate on. */
  readonly Bindings: HttpBindings & WithEvents & { caller: Caller }
  readonly Variables: { headend: Headend['name'] }
}

/** Looks at a request; an answer where it goes no further. */
export type Check = (context: Context<ServerBindings>) => Response | undefined

/** Checks one after the other, as one step of hono: each of its own would wait for the next. */
export function inOrder(...checks: readonly Check[]): MiddlewareHandler<ServerBindings> {
  return (context, next) => {
    for (const check of checks) {
      const refused = check(context)
      if (refused !== undefined) return Promise.resolve(refused)
    }
    return next()
  }
}

/** Paths that say how the server is, for whoever watches it: they need no token. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Returns true for requests that are served while the server drains: reading runs, stopping them and deciding on approvals. */
function isServedWhileEnding(method: string, path: string): boolean {
  if (path === '/metrics') return true
  if (!path.startsWith('/api/')) return false
  return (
    method === 'GET' || method === 'HEAD' || /^\/api\/runs\/[^/]+\/(?:stop|approvals\/[^/]+)$/u.test(path)
  )
}

/** Lets pages of these origins read answers; those of others have been refused before. */
export function allowOrigins(origins: readonly string[]): MiddlewareHandler<ServerBindings> {
  const known = new Set(origins)
  return cors({
    origin: (origin) => (known.has(origin) ? origin : null),
    allowMethods: ['GET', 'POST', 'PUT', 'DELETE'],
    exposeHeaders: ['Troupe-Run-Id', 'Troupe-Session-Id', 'Troupe-Outcome', 'Retry-After', 'Mcp-Session-Id'],
    maxAge: 600,
  })
}

/** Comes before everything: a request for another host, or from a page of another one, is not looked at any further. */
export function checkAccess(check: AccessCheck): Check {
  return ({ env: { incoming } }) => {
    const { host, origin } = incoming.headers
    const refused = check({ host, origin })
    return refused === undefined ? undefined : errorResponse(refused)
  }
}

/** Comes before every route: the token, then the size of the body. */
export function createGate({
  principals,
  isOpen,
  maxBodyBytes,
  rateLimit,
  toError,
  now,
  isEnding,
}: {
  readonly principals: Principals
  /** A path that needs no token beside those of the server. */
  isOpen(path: string): boolean
  readonly maxBodyBytes: number
  readonly rateLimit: RateLimit
  readonly toError: ErrorShapes
  now(): number
  isEnding(): boolean
}): Check {
  return (context) => {
    const { path, raw } = context.req
    const refuse = (...refused: Refused): Response => toError(path)(...refused)
    const isHealth = OPEN_PATHS.has(path)
    const needsToken = !isHealth && !isOpen(path)
    const address = clientAddress(context.env.incoming.socket.remoteAddress)
    const principal = needsToken
      ? principals.identify(raw.headers, address)
      : principals.recognise(raw.headers)
    if (typeof principal === 'object') return refuse(principal, retryHeader(principal, now()))
    if (principal === undefined && needsToken)
      return refuse(
        failure('token_required', 'There is no token in the request, or one that is not known.'),
        {
          'www-authenticate': 'Bearer',
        },
      )
    if (isEnding()) {
      context.env.outgoing.shouldKeepAlive = false
      if (!isHealth && !isServedWhileEnding(context.req.method, path))
        return refuse(failure('server_busy', 'The server is ending and takes no new work.'))
    }
    const tooMany = principal === undefined || isHealth ? undefined : rateLimit(principal)
    if (tooMany !== undefined) return refuse(tooMany, retryHeader(tooMany, now()))
    const limited = limitBody(raw, maxBodyBytes)
    if (!(limited instanceof Request)) return refuse(limited, { connection: 'close' })
    context.req.raw = limited
    context.env.caller = toCaller(context, { principal: principal ?? '', address })
    return undefined
  }
}

/** Why, and headers of the answer. */
type Refused = Parameters<ReturnType<ErrorShapes>>

function toCaller({ env }: Context<ServerBindings>, who: Pick<Caller, 'principal' | 'address'>): Caller {
  return {
    ...who,
    cut: () => void env.outgoing.destroy(),
    stream(events, headers) {
      env.stream = { events, headers }
      return RESPONSE_ALREADY_SENT
    },
  }
}
