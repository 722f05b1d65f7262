import type { JsonObject } from '@troupe/schema'
import type { z } from 'zod'
import type { Operation } from '../headend.ts'
import { jsonSchemaOf, queryParameters } from './json-schema-of.ts'
import { errorShape } from './shapes.ts'

/** One operation, in the words of its headend. */
export interface OperationParts {
  readonly id: string
  readonly summary: string
  readonly tag: string
  /** Names of the parameters in the path. */
  readonly path?: readonly string[]
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  /** Media types and their schemas, by status; a text as schema is any text. */
  readonly answers: Readonly<Record<number, AnswerParts>>
  /** Statuses of errors; those that every route has are added. */
  readonly errors?: readonly number[]
  /** Default: our own shape. */
  readonly error?: z.ZodType
}

/** One answer that is no error. */
export interface AnswerParts {
  readonly description: string
  /** Media type to what it holds; none: no content. */
  readonly content?: Readonly<Record<string, z.ZodType | 'text'>>
}

/** Errors that the server gives before any route does. */
const GATE_ERRORS = [400, 401, 403, 405, 429, 500, 503] as const
/** Errors of routes that read a body. */
const BODY_ERRORS = [409, 413, 415] as const
/** Errors of routes that run an agent. */
export const RUN_ERRORS = [404, 409, 429, 502, 504] as const

const TITLES: ReadonlyMap<number, string> = new Map([
  [400, 'The request, the input, the schema or the configuration'],
  [401, 'No token, or one that is not known'],
  [403, 'Refused, or denied'],
  [404, 'There is no such thing'],
  [405, 'Another method'],
  [406, 'No kind of answer that is wanted'],
  [409, 'Somebody else is at work on it'],
  [413, 'The body is too large'],
  [415, 'The body is of another kind'],
  [429, 'A budget or a limit'],
  [500, 'An error of the server'],
  [502, 'The model, a tool or the network'],
  [503, 'Too much to do, or ending: see Retry-After'],
  [504, 'Too late'],
  [529, 'Too much to do: see Retry-After'],
])

/** An OpenAPI operation with every status that it can answer with. */
export function operation(parts: OperationParts): Operation {
  const { id, summary, tag, path = [], query, body, answers, errors = [], error = errorShape } = parts
  const codes = new Set([...GATE_ERRORS, ...(body === undefined ? [] : BODY_ERRORS), ...errors])
  const failed = jsonSchemaOf(error)
  const parameters = [...path.map(pathParameter), ...(query === undefined ? [] : queryParameters(query))]
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: jsonSchemaOf(body) } } } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, toResponse(answer)])),
      ...Object.fromEntries(
        [...codes].map((status) => [
          String(status),
          {
            description: TITLES.get(status) ?? 'An error',
            content: { 'application/json': { schema: failed } },
          },
        ]),
      ),
    },
  }
}

function toResponse({ description, content }: AnswerParts): JsonObject {
  if (content === undefined) return { description }
  const media = Object.entries(content).map(([type, schema]) => [
    type,
    { schema: schema === 'text' ? { type: 'string' } : jsonSchemaOf(schema) },
  ])
  return { description, content: Object.fromEntries(media) as JsonObject }
}

function pathParameter(name: string): JsonObject {
  return { name, in: 'path', required: true, schema: { type: 'string' } }
}
