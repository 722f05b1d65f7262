import { failure } from '@troupe/schema'
import { Hono } from 'hono'
import { errorResponse } from './error-response.ts'
import { failureFor } from './failure-for.ts'
import type { Handler } from './handler.ts'
import type { Caller } from './caller.ts'
import type { Headend } from './headend.ts'

/** Handlers by path pattern and method. */
export type Routes = Readonly<
  Record<string, Partial<Readonly<Record<'GET' | 'POST' | 'PUT' | 'DELETE', Handler>>>>
>

/**
 * Creates the paths, `fetch` and handlers of a headend. Errors that a handler throws become failures, other
 * methods get `method_unknown`. `toError` formats failures for the protocol.
 */
export function routes(
  table: Routes,
  {
    toError = errorResponse,
    onError,
  }: { readonly toError?: typeof errorResponse; onError?(thrown: unknown): void } = {},
): Pick<Headend, 'paths' | 'fetch' | 'handlers'> {
  // Paths with and without a trailing slash are the same.
  const app = new Hono<{ Bindings: { readonly caller: Caller } }>({ strict: false })
  const handlers = new Map<string, Handler>()
  for (const [path, methods] of Object.entries(table)) {
    const handler = byMethod(path, methods, toError)
    handlers.set(path, handler)
    // Registered for all methods, because hono would answer HEAD with the handler of GET.
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
