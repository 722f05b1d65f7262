import { failure } from '@troupe/schema'
import { Hono } from 'hono'
import { errorResponse } from './error-response.ts'
import { failureFor } from './failure-for.ts'
import type { Handler } from './handler.ts'
import type { Caller } from './caller.ts'
import type { Headend } from './headend.ts'

/** Path pattern to method to handler. */
export type Routes = Readonly<
  Record<string, Partial<Readonly<Record<'GET' | 'POST' | 'PUT' | 'DELETE', Handler>>>>
>

/** The paths of a headend, its `fetch` and its handlers. What a handler throws is an `internal` failure; another method is `method_unknown`. `toError` gives failures the shape of the protocol. */
export function routes(
  table: Routes,
  {
    toError = errorResponse,
    onError,
  }: { readonly toError?: typeof errorResponse; onError?(thrown: unknown): void } = {},
): Pick<Headend, 'paths' | 'fetch' | 'handlers'> {
  // paths with and without a slash at the end are the same
  const app = new Hono<{ Bindings: { readonly caller: Caller } }>({ strict: false })
  const handlers = new Map<string, Handler>()
  for (const [path, methods] of Object.entries(table)) {
    const handler = byMethod(path, methods, toError)
    handlers.set(path, handler)
    // all methods: hono would answer HEAD by running the handler of GET
    app.all(path, handler)
  }
  app.notFound((context) => toError(failure('route_unknown', `Nothing is served at ${context.req.path}.`)))
  app.onError((thrown, { env }) => {
    onError?.(thrown)
    return toError(failureFor(env.caller, thrown))
  })
  return {
    paths: [...handlers.keys()],
    handlers,
    fetch: (request, caller) => app.fetch(request, { caller }),
  }
}

function byMethod(path: string, methods: Routes[string], toError: typeof errorResponse): Handler {
  const known = new Map(Object.entries(methods))
  const allow = [...known.keys()].join(', ')
  return (context) => {
    const handler = known.get(context.req.method)
    if (handler !== undefined) return handler(context)
    return toError(failure('method_unknown', `${path} takes ${allow}.`), { allow })
  }
}
