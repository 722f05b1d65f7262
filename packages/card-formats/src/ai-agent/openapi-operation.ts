import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { mappingOf, textOf } from '../rules/field-rule.ts'
import { createSchemaConverter, resolveReference, type SchemaBudget } from './openapi-schema.ts'

const MAX_DESCRIPTION = 1024
/** Maximum characters of a path with its parameters, and of the name of a parameter. */
const MAX_NAME = 500
const MAX_ARGUMENTS = 100

/** An operation of an OpenAPI document. */
export interface OpenApiOperation {
  readonly method: string
  readonly path: string
  readonly operation: JsonObject
  /** The parameters of all operations of the path. */
  readonly shared: Json | undefined
}

/** The document of an operation, and what the configuration sets for all of its operations. */
export interface OpenApiSource {
  readonly document: JsonObject
  readonly baseUrl: string
  readonly headers: JsonObject
  readonly budget: SchemaBudget
}

/** Headers that the connection or the configuration sets. */
const OWN_HEADERS =
  /^(?:accept|authorization|connection|content-length|content-type|cookie|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/iu
const SEPARATORS: ReadonlyMap<Json | undefined, string> = new Map([
  ['spaceDelimited', 'spaces'],
  ['pipeDelimited', '|'],
])

/** A parameter as an argument of the tool. */
interface Argument {
  readonly name: string
  readonly in: string
  readonly isRequired: boolean
  readonly schema: JsonObject
}

/** Returns the HTTP tool of an operation. Throws why Troupe cannot call it. */
export function httpToolOf(name: string, found: OpenApiOperation, source: OpenApiSource): JsonObject {
  const { method, path, operation } = found
  if (!path.startsWith('/')) throw new Error('its path does not start with "/"')
  if (path.length > MAX_NAME) throw new Error('its path is too long')
  const converter = createSchemaConverter(source.document, source.budget)
  const named = new Map<string, Argument>()
  for (const argument of argumentsOf(found, source)) named.set(freeName(argument.name, named), argument)
  const body = method === 'GET' ? undefined : bodyOf(operation['requestBody'], source.document)
  const bodyName = body === undefined ? undefined : freeName('body', named)
  const placed = (place: string): JsonObject => {
    const members = [...named].filter(([, argument]) => argument.in === place)
    return Object.fromEntries(members.map(([key, argument]) => [argument.name, `\${parameters.${key}}`]))
  }
  const properties = Object.fromEntries([
    ...[...named].map(([key, { schema }]) => [key, converter.convert(schema)] as const),
    ...(body === undefined || bodyName === undefined
      ? []
      : [[bodyName, converter.convert(body.schema)] as const]),
  ])
  const required = [...named].flatMap(([key, { isRequired }]) => (isRequired ? key : []))
  if (body?.isRequired === true && bodyName !== undefined) required.push(bodyName)
  const definitions = converter.definitions()
  const query = placed('query')
  const headers = { ...placed('header'), ...body?.headers, ...source.headers }
  return {
    use: 'troupe:http',
    name,
    description: descriptionOf(found),
    method,
    url: `${source.baseUrl}${fillPath(path, placed('path'))}`,
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    parameters: {
      type: 'object',
      properties,
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
      ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
    },
    ...(bodyName === undefined ? {} : { body: `\${parameters.${bodyName}}` }),
  }
}

/** A document must not name variables of the configuration, so `$` is encoded. */
export function withoutVariables(text: string): string {
  return text.replaceAll('$', '%24')
}

function fillPath(path: string, values: JsonObject): string {
  return path.replaceAll(/\{([^{}]*)\}|[^{]+|\{/gu, (part: string, name: string | undefined) => {
    if (name === undefined) return withoutVariables(part)
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) throw new Error(`its path has no parameter "${name}"`)
    return textOf(value)
  })
}

function descriptionOf({ operation, method, path }: OpenApiOperation): string {
  const texts = [textOf(operation['summary']), textOf(operation['description'])].map((text) => text.trim())
  const text = [...new Set(texts)].filter((each) => each !== '').join('\n\n')
  return (text === '' ? `${method} ${path}` : text).slice(0, MAX_DESCRIPTION)
}

/** Returns a name that may stand in a placeholder and is not in use. */
function freeName(written: string, used: ReadonlyMap<string, unknown>): string {
  const name = written.replaceAll(/\W+/gu, '_').replace(/^_{2,}/u, '') || 'value'
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : `${name}_${count}`
    if (!used.has(candidate)) return candidate
  }
}

/** Returns the parameters. Those of the operation replace those of its path. */
function argumentsOf({ operation, shared }: OpenApiOperation, source: OpenApiSource): readonly Argument[] {
  const found = new Map<string, Argument>()
  const lists = [shared, operation['parameters']].map((list) => (Array.isArray(list) ? (list as Json[]) : []))
  for (const written of lists.flat()) {
    const parameter = resolveReference(source.document, written)
    const [name, place] = [textOf(parameter['name']), textOf(parameter['in'])]
    const isRequired = parameter['required'] === true || place === 'path'
    if (place === 'header' && isSet(name, source.headers)) continue
    const members = place === 'query' ? membersOf(parameter, source.document) : undefined
    if (members !== undefined) {
      for (const member of members) found.set(`query ${member.name}`, member)
      continue
    }
    const schema = argumentSchema(parameter, source.document)
    if (typeof schema !== 'string') found.set(`${place} ${name}`, { name, in: place, isRequired, schema })
    else if (isRequired) throw new Error(`it needs the ${place} parameter "${name}", ${schema}`)
  }
  if (found.size > MAX_ARGUMENTS) throw new Error(`it has more than ${MAX_ARGUMENTS} parameters`)
  if ([...found.values()].some(({ name }) => name.length > MAX_NAME))
    throw new Error('the name of a parameter is too long')
  return [...found.values()]
}

/**
 * Returns the properties of an object in the query, which are sent as parameters of their own. `undefined` for
 * any other parameter, and for an object with other members or nested ones.
 */
function membersOf(parameter: JsonObject, document: JsonObject): readonly Argument[] | undefined {
  const { name, schema: written, style = 'form', explode = true, required } = parameter
  const isDeep = style === 'deepObject'
  if (!isJsonObject(written) || (!isDeep && (style !== 'form' || explode === false))) return undefined
  const schema = resolveReference(document, written)
  const properties = Object.entries(mappingOf(schema['properties']))
  if (!isKind(schema, 'object') || properties.length === 0 || isJsonObject(schema['additionalProperties']))
    return undefined
  const needed = Array.isArray(schema['required']) ? (schema['required'] as readonly Json[]) : []
  const members = properties.map(([key, member]) => ({
    name: isDeep ? `${textOf(name)}[${key}]` : key,
    in: 'query',
    isRequired: required === true && needed.includes(key),
    schema: mappingOf(member),
  }))
  const isNested = (member: Argument): boolean => {
    const found = resolveReference(document, member.schema)
    return isKind(found, 'object') || (isDeep && isKind(found, 'array'))
  }
  return members.some(isNested) ? undefined : members
}

function isSet(header: string, headers: JsonObject): boolean {
  return Object.keys(headers).some((key) => key.toLowerCase() === header.toLowerCase())
}

/** Returns the schema of an argument, or why Troupe cannot send it. */
function argumentSchema(parameter: JsonObject, document: JsonObject): JsonObject | string {
  const { name, in: place, schema: written, style, explode = true } = parameter
  const description = textOf(parameter['description'])
  if (place !== 'path' && place !== 'query' && place !== 'header') return 'which is not supported'
  if (place === 'header' && (!/^[!#$%&'*+.^`|~\w-]+$/u.test(textOf(name)) || OWN_HEADERS.test(textOf(name))))
    return 'which belongs to the connection'
  if (!isJsonObject(written)) return 'which has no schema'
  if (style === 'matrix' || style === 'label' || style === 'deepObject')
    return `which has the style ${textOf(style)}`
  const schema = resolveReference(document, written)
  if (isKind(schema, 'object')) return 'which is an object'
  const described = description === '' ? {} : { description }
  if (isKind(schema, 'array')) {
    if (place === 'query' && explode !== false && !SEPARATORS.has(style)) return { ...written, ...described }
    const separator = SEPARATORS.get(style) ?? 'commas'
    return { type: 'string', description: `${description} (a list, separated by ${separator})`.trim() }
  }
  if (place !== 'path') return { ...written, ...described }
  // An empty text would lead to another path.
  const types = typeof schema['type'] === 'string' ? {} : { type: ['string', 'number', 'boolean'] }
  return { ...schema, ...types, ...described, minLength: Math.max(1, Number(schema['minLength']) || 1) }
}

function isKind(schema: JsonObject, kind: 'array' | 'object'): boolean {
  const { type } = schema
  const isType = type === kind || (Array.isArray(type) && (type as readonly Json[]).includes(kind))
  return isType || (type === undefined && schema[kind === 'array' ? 'items' : 'properties'] !== undefined)
}

interface RequestBody {
  readonly schema: JsonObject
  readonly isRequired: boolean
  readonly headers: JsonObject
}

/** Returns the JSON body, or `undefined` if the operation can be called without one. */
function bodyOf(written: Json | undefined, document: JsonObject): RequestBody | undefined {
  if (written === undefined || written === null) return undefined
  const body = resolveReference(document, written)
  const isRequired = body['required'] === true
  const types = Object.entries(mappingOf(body['content']))
  const found =
    types.find(([type]) => /^application\/json\b/iu.test(type)) ??
    types.find(([type]) => /\+json\b|^(?:application\/)?\*(?:\/\*)?$|^application\/\*$/iu.test(type))
  if (found === undefined) {
    if (isRequired) throw new Error('its body is not JSON')
    return undefined
  }
  const [type, { schema }] = [found[0], mappingOf(found[1])]
  const isOther = /\+json\b/iu.test(type)
  return {
    schema: mappingOf(schema),
    isRequired,
    headers: isOther ? { 'content-type': withoutVariables(type) } : {},
  }
}
