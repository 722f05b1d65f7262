import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'

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
export function namesHeaders(json: string): boolean {
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
