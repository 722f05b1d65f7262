import { failure, toFailure } from '@troupe/schema'
import { Hono } from 'hono'
import type { z } from 'zod'
import { errorResponse, failureFor } from '../headend/errors.ts'
import type {
  ErrorFormat,
  Handler,
  Headend,
  HeadendApp,
  Operation,
  OperationAnswer,
} from '../headend/headend.ts'
import { errorShape, reportShape } from './shapes.ts'

/** A handler with its description for the OpenAPI document. */
export interface Route extends Omit<Operation, 'method' | 'path' | 'tag' | 'error'> {
  readonly handler: Handler
}

/** Routes by path pattern and method. A handler alone is left out of the OpenAPI document. */
export type Routes = Readonly<
  Record<string, Partial<Readonly<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', Route | Handler>>>>
>

/** Describes a JSON response. */
export function jsonAnswer(description: string, schema: z.ZodType): OperationAnswer {
  return { description, content: { 'application/json': schema } }
}

/** Describes the responses of a route that starts a run: 202, or 200 for a run that has already ended. */
export function startedAnswers(started: z.ZodType): Route['answers'] {
  return {
    200: jsonAnswer('The run has already ended and is not stored', reportShape),
    202: jsonAnswer('The run has started and continues on its own', started),
  }
}

/** Options of {@link routes}. */
export interface RoutesOptions {
  /** Tag of the operations, such as `Run control`. */
  readonly tag: string
  /** Formats failures for the protocol. Default: Troupe's own format. */
  readonly toError?: ErrorFormat
  /** Schema of errors. Default: Troupe's own format. */
  readonly error?: z.ZodType
  onError?(thrown: unknown): void
}

/**
 * Creates the app of a headend and the description of its routes. Errors that a handler throws become
 * failures, other methods get `method_unknown`.
 */
export function routes(
  table: Routes,
  { tag, toError = errorResponse, error = errorShape, onError }: RoutesOptions,
): Pick<Headend, 'app' | 'operations'> {
  // Paths with and without a trailing slash are the same.
  const app: HeadendApp = new Hono({ strict: false })
  // Registered for all methods, because hono would answer HEAD with the handler of GET.
  for (const [path, methods] of Object.entries(table)) app.all(path, byMethod(path, methods, toError))
  app.notFound(({ req: { path } }) =>
    toError(failure('route_unknown', `Nothing is served at ${path}.`), {}, path),
  )
  app.onError((thrown, { env, req }) => {
    onError?.(thrown)
    return toError(failureFor(env.caller, thrown), {}, req.path)
  })
  const operations = Object.entries(table).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, route]): readonly Operation[] => {
      if (typeof route === 'function') return []
      const { handler: _, ...description } = route
      return [{ ...description, method, path, tag, error }]
    }),
  )
  return { app, operations }
}

function byMethod(path: string, methods: Routes[string], toError: ErrorFormat): Handler {
  const known = new Map(Object.entries(methods))
  const allow = [...known.keys()].join(', ')
  return (context) => {
    const route = known.get(context.req.method)
    if (route !== undefined) return typeof route === 'function' ? route(context) : route.handler(context)
    return toError(failure('method_unknown', `${path} only accepts ${allow}.`), { allow }, context.req.path)
  }
}

/**
 * Wraps a handler so that thrown failures become error responses, by default in Troupe's own format. A failure whose details the caller may not
 * see is thrown again, so that it is logged.
 */
export function withErrorResponse(handler: Handler, toError: ErrorFormat = errorResponse): Handler {
  return async (call) => {
    try {
      return await handler(call)
    } catch (thrown) {
      const reason = toFailure(thrown)
      if (failureFor(call.env.caller, thrown) !== reason) throw thrown
      return toError(reason)
    }
  }
}
