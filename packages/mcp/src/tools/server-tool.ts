import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { visibleText, hasInvisibleText } from '@troupe/schema/text'
import { MAX_JSON_DEPTH } from '@troupe/schema/json'

const SIZE_LIMIT = 256 * 1024

/** A tool described by its server. Its form is checked; its content is not trusted. */
export interface ServerTool {
  /** The server's own name of the tool. */
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  /** Schema of its structured results. */
  readonly outputSchema?: JsonObject
  /** True if the server declares that the tool changes nothing. */
  readonly readOnly: boolean
  readonly idempotent: boolean
  readonly destructive: boolean
  /** The server's `openWorldHint`; `undefined` if it sends none. */
  readonly openWorld?: boolean
  /** Set for the built-in resource tools; `undefined` for tools of the server. */
  readonly resource?: 'list' | 'read'
  /** Equal for equal tool descriptions. */
  readonly fingerprint: string
}

/** Result of reading an entry of a tool list: a tool with an optional remark, or why it is left out. */
type ReadTool =
  | { readonly tool: ServerTool; readonly remark?: string }
  | { readonly tool?: undefined; readonly remark: string }

const ANY_OBJECT: JsonObject = Object.freeze({ type: 'object', additionalProperties: true })

/** Reads one entry of a tool list. */
export function readServerTool(entry: unknown): ReadTool {
  if (!isJsonObject(entry)) return { remark: 'an entry of its list is not a tool; it is left out' }
  const { name } = entry
  if (!isUsableName(name)) return { remark: `a tool has no usable name (${shownName(name)}); it is left out` }
  const fingerprint = jsonText(entry)
  if (fingerprint === undefined) return { remark: `its tool "${name}" is nested too deeply; it is left out` }
  if (fingerprint.length > SIZE_LIMIT)
    return {
      remark: `the description of its tool "${name}" is larger than ${SIZE_LIMIT / 1024} KiB; it is left out`,
    }
  const schema = inputSchemaOf(entry['inputSchema'])
  const fault = schema === undefined || !namesHeaders(fingerprint) ? undefined : parameterHeaderFault(schema)
  if (fault !== undefined)
    return { remark: `the parameters of its tool "${name}" are not valid (${fault}); it is left out` }
  const input = isPlainJson(fingerprint)
    ? { schema: schema ?? ANY_OBJECT }
    : cleanSchema(schema ?? ANY_OBJECT)
  if (input.schema === undefined)
    return {
      remark: `its tool "${name}" has an input schema that cannot be shown to a model (${input.problem}); it is left out`,
    }
  const description = visibleText(typeof entry['description'] === 'string' ? entry['description'] : '')
  const tool: ServerTool = {
    name,
    description: description.text,
    inputSchema: input.schema,
    ...outputSchemaOf(entry['outputSchema']),
    ...hintsOf(entry['annotations']),
    fingerprint,
  }
  const remarks = [
    ...(description.remark === undefined ? [] : [`the description of "${name}" ${description.remark}`]),
    ...(input.remark === undefined ? [] : [`a text in the input schema of "${name}" ${input.remark}`]),
    ...(schema === undefined
      ? [`the input schema of "${name}" is not an object schema; all arguments are passed on`]
      : []),
  ]
  return remarks.length === 0 ? { tool } : { tool, remark: remarks.join('; ') }
}

function outputSchemaOf(schema: Json | undefined): Pick<ServerTool, 'outputSchema'> {
  return isJsonObject(schema) ? { outputSchema: schema } : {}
}

function hintsOf(
  annotations: Json | undefined,
): Pick<ServerTool, 'readOnly' | 'idempotent' | 'destructive' | 'openWorld'> {
  const hints = isJsonObject(annotations) ? annotations : {}
  const openWorld = hints['openWorldHint']
  return {
    readOnly: hints['readOnlyHint'] === true,
    idempotent: hints['idempotentHint'] === true,
    destructive: hints['destructiveHint'] === true,
    ...(typeof openWorld === 'boolean' ? { openWorld } : {}),
  }
}

/** Returns the schema with `type: 'object'`, or `undefined` if it does not allow objects. */
function inputSchemaOf(schema: Json | undefined): JsonObject | undefined {
  if (schema === undefined || schema === null || schema === true) return ANY_OBJECT
  if (!isJsonObject(schema)) return undefined
  const { type } = schema
  if (type === 'object') return schema
  const allowsObjects = type === undefined || (Array.isArray(type) && type.includes('object'))
  return allowsObjects ? { ...schema, type: 'object' } : undefined
}

/** Returns `undefined` if the value is nested too deeply to be serialised. */
function jsonText(value: JsonObject): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // stack overflow: the caller leaves the tool out and reports it
    return undefined
  }
}

function shownName(name: Json | undefined): string {
  const text = jsonText({ name: name ?? null }) ?? ''
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

const NAME_LIMIT = 512
const FORBIDDEN_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

/** Returns true for a name from a server that can be shown unchanged. */
export function isUsableName(name: unknown): name is string {
  return (
    typeof name === 'string' && name !== '' && name.length <= NAME_LIMIT && !FORBIDDEN_CHARACTERS.test(name)
  )
}

const KEY = 'x-mcp-header'
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/u
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])
/** Keywords whose values are data, not schemas. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples'])

/**
 * Returns the problem with the parameters that a tool maps to HTTP headers (`x-mcp-header`), or `undefined`
 * if there is none. MCP 2026-07-28 (Streamable HTTP) forbids calling a tool with such a problem.
 */
export function parameterHeaderFault(inputSchema: JsonObject): string | undefined {
  return faultIn(inputSchema, { reachable: true, isRoot: true, names: new Set() })
}

/** Returns true if a JSON text may contain `x-mcp-header`. Cheap test that rules out nearly all tools. */
function namesHeaders(json: string): boolean {
  return json.includes(KEY)
}

interface SchemaPosition {
  /** True if only `properties` lead here from the root. */
  readonly reachable: boolean
  readonly isRoot: boolean
  /** Names of the headers found so far, in lower case. */
  readonly names: Set<string>
}

function faultIn(schema: Json, position: SchemaPosition): string | undefined {
  if (Array.isArray(schema)) return firstFault(schema, { ...position, reachable: false, isRoot: false })
  if (!isJsonObject(schema)) return undefined
  const own = Object.hasOwn(schema, KEY) ? headerFault(schema, position) : undefined
  return own ?? faultBelow(schema, { ...position, isRoot: false })
}

function faultBelow(schema: JsonObject, position: SchemaPosition): string | undefined {
  for (const [key, value] of Object.entries(schema)) {
    if (DATA.has(key) || key === KEY) continue
    const fault =
      key === 'properties' && isJsonObject(value)
        ? firstFault(Object.values(value), position)
        : faultIn(value, { ...position, reachable: false })
    if (fault !== undefined) return fault
  }
  return undefined
}

function firstFault(schemas: readonly Json[], position: SchemaPosition): string | undefined {
  for (const schema of schemas) {
    const fault = faultIn(schema, position)
    if (fault !== undefined) return fault
  }
  return undefined
}

function headerFault(schema: JsonObject, { reachable, isRoot, names }: SchemaPosition): string | undefined {
  const name = schema[KEY]
  if (!reachable || isRoot) return `${KEY} is not on a parameter`
  if (typeof name !== 'string' || !HEADER_NAME.test(name)) return `${KEY} is not a valid header name`
  if (!TYPES.has(schema['type'])) return `${KEY} is on a parameter that is not a string, integer or boolean`
  if (names.has(name.toLowerCase())) return `${KEY} names the same header twice`
  names.add(name.toLowerCase())
  return undefined
}

/** Keywords whose values a model reads as prose. */
const PROSE: ReadonlySet<string> = new Set(['description', 'title', '$comment'])

/** A cleaned schema with a remark on changes, or the reason why the schema is rejected. */
type CleanSchema =
  | { readonly schema: JsonObject; readonly remark?: string }
  | { readonly schema?: undefined; readonly problem: string }

/**
 * Removes invisible characters from the prose of a schema and truncates long texts. Rejects a schema with
 * invisible characters in names or values, where they cannot be removed without breaking the tool, with too
 * deep nesting, or with a `__proto__` member.
 */
export function cleanSchema(schema: JsonObject): CleanSchema {
  const found: Findings = {}
  const cleaned = cleanObject(schema, 1, found)
  if (found.problem !== undefined) return { problem: found.problem }
  return found.remark === undefined ? { schema } : { schema: cleaned, remark: found.remark }
}

/**
 * Returns true if a JSON text certainly needs no cleaning. Most tools pass this test, which is faster than
 * walking the schema.
 */
export function isPlainJson(text: string): boolean {
  return (
    text.length <= PLAIN_LENGTH &&
    !ODD.test(text) &&
    !hasInvisibleText(text) &&
    opensOf(text) <= MAX_JSON_DEPTH
  )
}

/** Length below which no text in it can exceed the limit for prose. */
const PLAIN_LENGTH = 4096
/** Escapes of characters that may be invisible, and `__proto__`. */
const ODD = /\\[ubf]|"__proto__"/u

/** Returns an upper bound of the nesting depth. */
function opensOf(text: string): number {
  return text.match(/[[{]/gu)?.length ?? 0
}

interface Findings {
  problem?: string
  remark?: string
}

function clean(value: Json, depth: number, found: Findings): Json {
  if (typeof value === 'string') {
    if (!hasInvisibleText(value)) return value
    found.problem = 'a value in it contains invisible characters'
  }
  if (typeof value !== 'object' || value === null || found.problem !== undefined) return value
  if (depth > MAX_JSON_DEPTH) {
    found.problem = `it is nested deeper than ${MAX_JSON_DEPTH} levels`
    return value
  }
  return Array.isArray(value)
    ? cleanArray(value, depth, found)
    : cleanObject(value as JsonObject, depth, found)
}

/** Returns the same array if nothing changed. */
function cleanArray(array: readonly Json[], depth: number, found: Findings): Json {
  const cleaned = array.map((each) => clean(each, depth + 1, found))
  return cleaned.some((each, index) => each !== array[index]) ? cleaned : array
}

/** Returns the same object if nothing changed, as for nearly every schema. */
function cleanObject(object: JsonObject, depth: number, found: Findings): JsonObject {
  const changes: [string, Json][] = []
  for (const [name, value] of Object.entries(object)) {
    if (name === '__proto__') found.problem = 'it has a member `__proto__`'
    else if (hasInvisibleText(name)) found.problem = 'a name in it contains invisible characters'
    const cleaned =
      PROSE.has(name) && typeof value === 'string' ? prose(value, found) : clean(value, depth + 1, found)
    if (cleaned !== value) changes.push([name, cleaned])
  }
  return changes.length === 0 ? object : { ...object, ...Object.fromEntries(changes) }
}

function prose(text: string, found: Findings): string {
  const seen = visibleText(text)
  if (seen.remark !== undefined) found.remark = seen.remark
  return seen.text
}
