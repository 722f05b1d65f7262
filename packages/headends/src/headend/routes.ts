import { failure, toFailure } from '@troupe/schema'
import { Hono } from 'hono'
import { errorResponse, failureFor } from './errors.ts'
import type { Handler, HeadendApp, Headend } from './headend.ts'

/** Handlers by path pattern and method. */
export type Routes = Readonly<
  Record<string, Partial<Readonly<Record<'GET' | 'POST' | 'PUT' | 'DELETE', Handler>>>>
>

/**
 * Creates the app of a headend. Errors that a handler throws become failures, other methods get
 * `method_unknown`. `toError` formats failures for the protocol.
 */
export function routes(
  table: Routes,
  {
    toError = errorResponse,
    onError,
  }: { readonly toError?: typeof errorResponse; onError?(thrown: unknown): void } = {},
): Pick<Headend, 'app'> {
  // Paths with and without a trailing slash are the same.
  const app: HeadendApp = new Hono({ strict: false })
  // Registered for all methods, because hono would answer HEAD with the handler of GET.
  for (const [path, methods] of Object.entries(table)) app.all(path, byMethod(path, methods, toError))
  app.notFound((context) => toError(failure('route_unknown', `Nothing is served at ${context.req.path}.`)))
  app.onError((thrown, { env }) => {
    onError?.(thrown)
    return toError(failureFor(env.caller, thrown))
  })
  return { app }
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

/**
 * Wraps a handler so that thrown failures become error responses. A failure whose details the caller may not
 * see is thrown again, so that it is logged.
 */
export function withErrorResponse(handler: Handler): Handler {
  return async (call) => {
    try {
      return await handler(call)
    } catch (thrown) {
      const reason = toFailure(thrown)
      if (failureFor(call.env.caller, thrown) !== reason) throw thrown
      return errorResponse(reason)
    }
  }
}
