import { failureFor, type Headend, openApiParts } from '@troupe/headends'
import { failure, type JsonObject } from '@troupe/schema'
import { Hono, type MiddlewareHandler } from 'hono'
import type { ErrorShapes, ServerBindings } from '../gate/gate.ts'
import type { Metrics } from './metrics.ts'

/** Creates the hono app of a server, with its own routes and those of the headends. */
export function createApp({
  headends,
  before,
  isReady,
  toError,
  metrics,
  describe,
  onError,
}: {
  readonly headends: readonly Headend[]
  /** Middleware of every route, in this order. */
  readonly before: readonly MiddlewareHandler<ServerBindings>[]
  isReady(): Promise<boolean>
  readonly toError: ErrorShapes
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>
  /** Returns the OpenAPI document. Called on request. */
  describe(): JsonObject
  onError?(thrown: unknown): void
}): Hono<ServerBindings> {
  // Paths with and without a trailing slash are the same, also for code that reads `req.path`.
  const app = new Hono<ServerBindings>({ strict: false })
  app.use('*', addHeaders, ...before)
  app.get('/healthz', (context) => context.json({ status: 'ok' }))
  app.get('/readyz', async (context) =>
    (await isReady()) ? context.json({ status: 'ready' }) : context.json({ status: 'not ready' }, 503),
  )
  app.get('/metrics', async (context) =>
    context.text(await metrics.text(), 200, { 'content-type': metrics.contentType }),
  )
  app.get('/openapi.json', (context) => context.json(describe()))
  for (const headend of headends) {
    for (const { path } of headend.app.routes)
      app.use(path, (context, next) => {
        context.set('headend', headend.name)
        return next()
      })
    app.route('/', headend.app)
  }
  app.notFound((context) =>
    toError(context.req.path)(failure('route_unknown', `Nothing is served at ${context.req.path}.`)),
  )
  app.onError((thrown, context) => {
    onError?.(thrown)
    return toError(context.req.path)(failureFor(context.env.caller, thrown))
  })
  return app
}

/** Adds the headers of all responses, and those that streams of libraries such as the MCP SDK lack. */
const addHeaders: MiddlewareHandler<ServerBindings> = async (context, next) => {
  await next()
  const { headers } = context.res
  headers.set('x-content-type-options', 'nosniff')
  if (headers.get('content-type')?.startsWith('text/event-stream') !== true) return
  // Without this header, proxies may buffer the events.
  headers.set('x-accel-buffering', 'no')
  // HTTP/1.0 clients do not support chunks. Their stream ends with the connection.
  if (context.env.incoming.httpVersion === '1.0') headers.delete('transfer-encoding')
}

/** Creates the OpenAPI document from the operations of the server and its headends. */
export function openApiDocument(headends: readonly Headend[], url: string): JsonObject {
  const { paths, components } = openApiParts(headends.flatMap(({ operations = [] }) => operations))
  return {
    openapi: '3.2.0',
    info: {
      title: 'Troupe',
      version: '1',
      description:
        'Agents over HTTP. Runs started with `/api/runs` continue without a connection; all others end when their connection closes.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    security: [{ bearer: [] }, { apiKey: [] }, {}],
    components: {
      ...components,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
    },
    paths: { ...SERVER, ...paths },
  }
}

const STATUS = {
  type: 'object',
  properties: { status: { type: 'string' } },
  required: ['status'],
}
const jsonResponse = (description: string, schema: JsonObject = STATUS): JsonObject => ({
  description,
  content: { 'application/json': { schema } },
})

/** The server's own operations. */
const SERVER: JsonObject = {
  '/healthz': {
    get: {
      operationId: 'health',
      summary: 'Check that the process responds',
      tags: ['Server'],
      security: [{}],
      responses: { 200: jsonResponse('The process responds') },
    },
  },
  '/readyz': {
    get: {
      operationId: 'readiness',
      summary: 'Check that agents are loaded and the server is not shutting down',
      tags: ['Server'],
      security: [{}],
      responses: { 200: jsonResponse('The server is ready'), 503: jsonResponse('The server is not ready') },
    },
  },
  '/metrics': {
    get: {
      operationId: 'metrics',
      summary: 'Get metrics in the Prometheus format',
      tags: ['Server'],
      responses: {
        200: { description: 'The metrics', content: { 'text/plain': { schema: { type: 'string' } } } },
      },
    },
  },
}
