import { isJsonObject, type JsonObject } from '@troupe/schema'
import { z } from 'zod'
import type { Operation } from '../headend/headend.ts'

/** The parts of an OpenAPI document that come from operations. */
export interface OpenApiParts {
  readonly paths: JsonObject
  /** Named schemas and error responses. */
  readonly components: { readonly schemas: JsonObject; readonly responses: JsonObject }
}

/** Error statuses of the server, before a request reaches a route. */
const GATE_ERRORS = [400, 401, 403, 405, 429, 500, 503] as const
/** Error statuses of routes that read a body. */
const BODY_ERRORS = [409, 413, 415] as const
/** Error statuses of routes that run an agent. */
export const RUN_ERRORS = [404, 409, 429, 502, 504] as const

const TITLES: ReadonlyMap<number, string> = new Map([
  [400, 'The request is not valid'],
  [401, 'The token is missing or not valid'],
  [403, 'The request was refused, or a call was denied'],
  [404, 'Not found'],
  [405, 'The path does not support the method'],
  [406, 'No accepted media type is available'],
  [409, 'Another request or run is still using the resource'],
  [413, 'The body is too large'],
  [415, 'The media type of the body is not supported'],
  [429, 'A budget or a limit is exceeded'],
  [500, 'Internal server error'],
  [502, 'The model, a tool or the network failed'],
  [503, 'The server is at capacity or shutting down; see Retry-After'],
  [504, 'Timeout'],
  [529, 'The server is at capacity; see Retry-After'],
])

/** A parameter at the start of a path segment. A colon within a segment begins a verb, as in `/tasks/:id:cancel`. */
const PARAMETER = /(?<=\/):(\w+)/gu

/** Returns the JSON Schema of a zod schema in the document. */
type SchemaOf = (schema: z.ZodType) => JsonObject

/**
 * Describes operations with every status that they can respond with. Schemas with an `id` become components,
 * and so do error responses; the others stand where they are used.
 */
export function openApiParts(operations: readonly Operation[]): OpenApiParts {
  const { schemaOf, schemas } = convertSchemas(operations.flatMap(schemasOf))
  const paths: Record<string, JsonObject> = {}
  const responses: Record<string, JsonObject> = {}
  for (const operation of operations) {
    const path = operation.path.replaceAll(PARAMETER, '{$1}')
    const errors = errorResponses(operation, schemaOf)
    for (const { name, response } of errors) responses[name] = response
    const described = describe(operation, schemaOf, errors)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described }
  }
  return { paths, components: { schemas, responses } }
}

/** An error response, and its name in `components`. */
interface NamedResponse {
  readonly status: number
  readonly name: string
  readonly response: JsonObject
}

/** Returns the error responses of an operation. Operations with the same error schema share them. */
function errorResponses(
  { id, body, errors = [], error }: Operation,
  schemaOf: SchemaOf,
): readonly NamedResponse[] {
  const statuses = new Set([...GATE_ERRORS, ...(body === undefined ? [] : BODY_ERRORS), ...errors])
  const schema = schemaOf(error)
  const name = typeof schema['$ref'] === 'string' ? schema['$ref'].replace(/^.*\//u, '') : `${id}Error`
  return [...statuses].map((status) => ({
    status,
    name: `${name}${status}`,
    response: {
      description: TITLES.get(status) ?? 'An error',
      content: { 'application/json': { schema } },
    },
  }))
}

function schemasOf({ query, body, answers, error }: Operation): readonly z.ZodType[] {
  const contents = Object.values(answers).flatMap(({ content = {} }) => Object.values(content))
  return [query, body, error, ...contents].filter((schema) => schema !== undefined && schema !== 'text')
}

/**
 * Converts the input of zod schemas to JSON Schema 2020-12, all at once, so that they share components and
 * the document matches the validation.
 */
function convertSchemas(list: readonly z.ZodType[]): {
  readonly schemaOf: SchemaOf
  readonly schemas: JsonObject
} {
  const names = new Map([...new Set(list)].map((schema, index) => [schema, `schema${index}`]))
  const all = z.object(Object.fromEntries([...names].map(([schema, name]) => [name, schema])))
  const converted = z.toJSONSchema(all, { io: 'input', unrepresentable: 'any', reused: 'inline' })
  const text = JSON.stringify(converted).replaceAll('"#/$defs/', '"#/components/schemas/')
  const { properties = {}, $defs = {} } = JSON.parse(text) as Readonly<Record<string, JsonObject>>
  return {
    schemas: Object.fromEntries(
      Object.entries($defs).map(([name, schema]) => [name, isJsonObject(schema) ? withoutId(schema) : {}]),
    ),
    schemaOf(schema) {
      const own = properties[names.get(schema) ?? '']
      return isJsonObject(own) ? own : {}
    },
  }
}

/** Removes the name, which zod repeats in the schema. */
function withoutId(schema: JsonObject): JsonObject {
  const { id: _id, ...rest } = schema
  return rest
}

function describe(
  { path, id, summary, tag, query, body, answers }: Operation,
  schemaOf: SchemaOf,
  errors: readonly NamedResponse[],
): JsonObject {
  const json = (schema: z.ZodType): JsonObject => ({ 'application/json': { schema: schemaOf(schema) } })
  const parameters = [
    ...Array.from(path.matchAll(PARAMETER), ([, name = '']) => pathParameter(name)),
    ...(query === undefined ? [] : queryParameters(schemaOf(query))),
  ]
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, { description, content }]) => [
          status,
          { description, ...(content === undefined ? {} : { content: contentOf(content, schemaOf) }) },
        ]),
      ),
      ...Object.fromEntries(
        errors.map(({ status, name }) => [String(status), { $ref: `#/components/responses/${name}` }]),
      ),
    },
  }
}

function contentOf(
  content: NonNullable<Operation['answers'][number]['content']>,
  schemaOf: SchemaOf,
): JsonObject {
  const media = Object.entries(content).map(([type, shape]) => {
    const schema = shape === 'text' ? { type: 'string' } : schemaOf(shape)
    return [
      type,
      type === 'text/event-stream' ? { schema, itemSchema: itemSchema(shape, schema) } : { schema },
    ]
  })
  return Object.fromEntries(media) as JsonObject
}

/** Returns the schema of one server-sent event. `schema` is that of its data, for generators that only read that. */
function itemSchema(shape: z.ZodType | 'text', schema: JsonObject): JsonObject {
  const text = { type: 'string' }
  const data =
    shape === 'text' ? text : { ...text, contentMediaType: 'application/json', contentSchema: schema }
  return { type: 'object', properties: { id: text, event: text, data }, required: ['data'] }
}

function pathParameter(name: string): JsonObject {
  return { name, in: 'path', required: true, schema: { type: 'string' } }
}

/** Converts the keys of an object schema to query parameters. */
function queryParameters({ properties, required }: JsonObject): readonly JsonObject[] {
  const needed = Array.isArray(required) ? required : []
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: needed.includes(name),
    schema: property,
  }))
}
