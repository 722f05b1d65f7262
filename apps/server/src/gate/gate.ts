import type { HttpBindings } from '@hono/node-server'
import {
  errorResponse,
  isFailure,
  isHookPath,
  isLinkPath,
  retryHeader,
  type Caller,
  type ErrorFormat,
  type Headend,
  bodyTooLarge,
  createByteLimit,
} from '@troupe/headends'
import { failure, readTraceContext, type Failure, type MaybePromise } from '@troupe/schema'
import type { Context, MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { AccessCheck } from './access-check.ts'
import { clientAddress, type RateLimit } from './rate-limit.ts'
import type { Principals } from './principals.ts'
import type { Identity } from '../identity/roles.ts'

/** hono's environment of a request. */
export interface ServerBindings {
  /** `caller` is set by the gate. */
  readonly Bindings: HttpBindings & { caller: Caller }
  readonly Variables: { headend: Headend['name'] }
}

/** Returns a response to reject the request, or `undefined` to continue. */
export type RequestCheck = (context: Context<ServerBindings>) => MaybePromise<Response | undefined>

/** Runs checks in one middleware, because each middleware of its own would add a promise. */
export function inOrder(...checks: readonly RequestCheck[]): MiddlewareHandler<ServerBindings> {
  return (context, next) => {
    for (const [index, check] of checks.entries()) {
      const refused = check(context)
      if (refused instanceof Promise)
        return refused.then((response) => response ?? inOrder(...checks.slice(index + 1))(context, next))
      if (refused !== undefined) return Promise.resolve(refused)
    }
    return next()
  }
}

/** Paths of health checks, which need no token. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Returns true for requests that are served while the server drains: reading runs, stopping them and deciding on approvals. */
function isServedWhileEnding(method: string, path: string): boolean {
  if (path === '/metrics') return true
  if (!path.startsWith('/api/')) return false
  return (
    method === 'GET' ||
    method === 'HEAD' ||
    isLinkPath(path) ||
    /^\/api\/runs\/[^/]+\/(?:stop|approvals\/[^/]+)$/u.test(path)
  )
}

/** Returns true for requests that a viewer may send: those that only read. */
function isViewable(method: string, path: string): boolean {
  return (method === 'GET' || method === 'HEAD') && VIEWABLE.test(path)
}

const VIEWABLE =
  /^\/(?:api\/.+|openapi\.json|metrics|openai\/v1\/(?:models|responses)(?:\/.+)?|anthropic\/v1\/models(?:\/.+)?|(?:a2a\/[^/]+\/)?\.well-known\/.+)$/u

/** Lets pages of these origins read responses. Other origins have already been rejected. */
export function allowOrigins(origins: readonly string[]): MiddlewareHandler<ServerBindings> {
  const known = new Set(origins)
  return cors({
    origin: (origin) => (known.has(origin) ? origin : null),
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposeHeaders: ['Troupe-Run-Id', 'Troupe-Session-Id', 'Troupe-Outcome', 'Retry-After', 'Mcp-Session-Id'],
    maxAge: 600,
  })
}

/** Creates the first check, which rejects requests with a foreign `Host` or `Origin`. */
export function checkAccess(check: AccessCheck): RequestCheck {
  return ({ env: { incoming } }) => {
    const { host, origin } = incoming.headers
    const refused = check({ host, origin })
    return refused === undefined ? undefined : errorResponse(refused)
  }
}

/** Creates the check of the token, the rate limit and the body size. */
export function createGate({
  principals,
  isOpen,
  challenge,
  maxBodyBytes,
  rateLimit,
  toError,
  now,
  isEnding,
}: {
  readonly principals: Principals
  /** Returns true for a path that needs no token, besides those of health checks. */
  isOpen(path: string): boolean
  /** Returns the `WWW-Authenticate` header of a request that is rejected because of its token. */
  challenge(request: Request, reason: Failure): string
  readonly maxBodyBytes: number
  readonly rateLimit: RateLimit
  readonly toError: ErrorShapes
  now(): number
  isEnding(): boolean
}): RequestCheck {
  /** Rejects a request of this caller, or sets the caller of the request. */
  function admit(context: Context<ServerBindings>, caller: Identity | Failure): Response | undefined {
    const { path, raw, method } = context.req
    const refuse = (...refused: ErrorArguments): Response => toError(path)(...refused)
    if (isFailure(caller)) {
      const isForToken = caller.code === 'token_required' || caller.code === 'scope_required'
      return refuse(caller, {
        ...retryHeader(caller, now()),
        ...(isForToken ? { 'www-authenticate': challenge(raw, caller) } : {}),
      })
    }
    const { principal, role } = caller
    const isHealth = OPEN_PATHS.has(path)
    const address = clientAddress(context.env.incoming.socket.remoteAddress)
    if (isEnding()) {
      context.env.outgoing.shouldKeepAlive = false
      if (!isHealth && !isServedWhileEnding(method, path))
        return refuse(failure('server_busy', 'The server is shutting down and does not accept new work.'))
    }
    // the sender of a webhook and the holder of a link have no principal
    const counted = principal === '' && (isHookPath(path) || isLinkPath(path)) ? address : principal
    const tooMany = counted === '' || isHealth ? undefined : rateLimit(counted)
    if (tooMany !== undefined) return refuse(tooMany, retryHeader(tooMany, now()))
    const limited = limitBody(raw, maxBodyBytes)
    if (!(limited instanceof Request)) return refuse(limited, { connection: 'close' })
    context.req.raw = limited
    context.env.caller = toCaller(context, { principal, role, address, ...traceOf(raw.headers) })
    return undefined
  }

  return (context) => {
    const { path, raw } = context.req
    const { incoming } = context.env
    if (OPEN_PATHS.has(path) || isOpen(path))
      return admit(context, principals.recognise(raw.headers) ?? ANONYMOUS)
    const caller = principals.identify(raw.headers, clientAddress(incoming.socket.remoteAddress), incoming)
    return caller instanceof Promise
      ? caller.then((found) => admit(context, checkRole(context, found ?? NO_TOKEN)))
      : admit(context, checkRole(context, caller ?? NO_TOKEN))
  }
}

/** Returns the caller, or a refusal if its role does not allow the request. */
function checkRole({ req }: Context<ServerBindings>, caller: Identity | Failure): Identity | Failure {
  if (isFailure(caller) || caller.role !== 'viewer' || isViewable(req.method, req.path)) return caller
  return failure('role_required', 'A viewer can only read.')
}

const NO_TOKEN = failure('token_required', 'The request has no token, or one that is not valid.')
/** The caller of a request for a path that needs no token. */
const ANONYMOUS: Identity = { principal: '', role: 'viewer' }

/** A failure, and headers of the response. */
type ErrorArguments = Parameters<ReturnType<ErrorShapes>>

function traceOf(headers: Headers): Pick<Caller, 'traceContext'> {
  // few requests have one, so look it up only once
  const traceparent = headers.get('traceparent')
  if (traceparent === null) return {}
  const traceContext = readTraceContext({ traceparent, tracestate: headers.get('tracestate') })
  return traceContext === undefined ? {} : { traceContext }
}

function toCaller({ env }: Context<ServerBindings>, who: Omit<Caller, 'cut'>): Caller {
  return {
    ...who,
    cut: () => void env.outgoing.destroy(),
  }
}

/**
 * Limits the body of a request. Returns a failure if its declared length is too large; without a declared
 * length, reading too large a body fails.
 */
function limitBody(request: Request, maxBytes: number): Request | Failure {
  const length = request.headers.get('content-length')
  if (length !== null)
    return Number(length) > maxBytes ? failure('request_too_large', bodyTooLarge(maxBytes)) : request
  if (request.headers.get('transfer-encoding') === null || request.body === null) return request
  const { signal, headers, method, url } = request
  return new Request(url, {
    method,
    headers,
    signal,
    body: request.body.pipeThrough(createByteLimit(maxBytes)),
    duplex: 'half',
  })
}

/** Returns the error response of the protocol that a path belongs to. */
export type ErrorShapes = (path: string) => typeof errorResponse

/**
 * Creates the lookup of error formats for requests that fail before they reach a headend. Paths with the same
 * first segment belong to one protocol.
 */
export function errorShapes(headends: readonly Headend[]): ErrorShapes {
  const shapes = new Map<string, ErrorFormat>()
  for (const { app, toError } of headends)
    if (toError !== undefined) for (const { path } of app.routes) shapes.set(firstSegment(path), toError)
  return (path) => {
    const shape = shapes.get(firstSegment(path)) ?? errorResponse
    return (reason, headers) => shape(reason, headers, path)
  }
}

function firstSegment(path: string): string {
  return path.split('/', 2)[1] ?? ''
}
