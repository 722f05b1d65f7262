import { failure, toFailure, type MaybePromise } from '@troupe/schema'
import { Hono, type Context } from 'hono'
import { errorResponse } from './error-response.ts'
import type { Caller, Headend } from './headend.ts'

/** What a handler is given: hono's context, with the caller in it. */
export type CallContext = Context<{ readonly Bindings: { readonly caller: Caller } }>

/** Answers one method of one path. */
export type Handler = (context: CallContext) => MaybePromise<Response>

/** Path pattern to method to handler. */
export type Routes = Readonly<
  Record<string, Partial<Readonly<Record<'GET' | 'POST' | 'PUT' | 'DELETE', Handler>>>>
>

/** The paths of a headend and its `fetch`. What a handler throws is an `internal` failure; another method is `method_unknown`. `toError` gives failures the shape of the protocol. */
export function routes(
  table: Routes,
  {
    toError = errorResponse,
    onError,
  }: { readonly toError?: typeof errorResponse; onError?(thrown: unknown): void } = {},
): Pick<Headend, 'paths' | 'fetch'> {
  const app = new Hono<{ Bindings: { readonly caller: Caller } }>()
  for (const [path, methods] of Object.entries(table)) {
    const known = new Map(Object.entries(methods))
    const allow = [...known.keys()].join(', ')
    // all methods: hono would answer HEAD by running the handler of GET
    app.all(path, (context) => {
      const handler = known.get(context.req.method)
      if (handler !== undefined) return handler(context)
      return toError(failure('method_unknown', `${path} takes ${allow}.`), { allow })
    })
  }
  app.notFound((context) => toError(failure('route_unknown', `Nothing is served at ${context.req.path}.`)))
  app.onError((thrown) => {
    onError?.(thrown)
    return toError(toFailure(thrown))
  })
  return { paths: Object.keys(table), fetch: (request, caller) => app.fetch(request, { caller }) }
}
