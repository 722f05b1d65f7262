import { type JsonObject, isJsonObject, type Json } from '@troupe/schema'
import { z } from 'zod'
import type { Operation } from '../headend/headend.ts'
import { errorShape } from './shapes.ts'

/** Description of an operation by its headend. */
export interface OperationParts {
  readonly id: string
  readonly summary: string
  readonly tag: string
  /** Names of the path parameters. */
  readonly path?: readonly string[]
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  /** Successful responses by status. */
  readonly answers: Readonly<Record<number, AnswerParts>>
  /** Further error statuses. Those of every route are always included. */
  readonly errors?: readonly number[]
  /** Schema of errors. Default: Troupe's own format. */
  readonly error?: z.ZodType
}

/** A response that is not an error. */
export interface AnswerParts {
  readonly description: string
  /** Schemas by media type, `'text'` for any text; `undefined` if there is no content. */
  readonly content?: Readonly<Record<string, z.ZodType | 'text'>>
}

/** Error statuses of the server, before a request reaches a route. */
const GATE_ERRORS = [400, 401, 403, 405, 429, 500, 503] as const
/** Error statuses of routes that read a body. */
const BODY_ERRORS = [409, 413, 415] as const
/** Error statuses of routes that run an agent. */
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

/** Creates an OpenAPI operation with every status that it can respond with. */
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

/** Converts the input of a zod schema to JSON Schema 2020-12, so that the document matches the validation. */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const written = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' })
  const { $schema: _dialect, $defs: _definitions, ...rest } = written
  return withoutReferences(rest as JsonObject) as JsonObject
}

/**
 * Removes references, which would not resolve in the surrounding document. Only "any JSON" refers to itself,
 * and an empty schema means the same.
 */
function withoutReferences(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutReferences)
  if (!isJsonObject(value)) return value
  if (typeof value['$ref'] === 'string') return {}
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutReferences(part)]))
}

/** Converts the keys of an object schema to query parameters. */
export function queryParameters(schema: z.ZodType): readonly JsonObject[] {
  const { properties, required } = jsonSchemaOf(schema)
  const needed = Array.isArray(required) ? required : []
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: needed.includes(name),
    schema: property,
  }))
}
