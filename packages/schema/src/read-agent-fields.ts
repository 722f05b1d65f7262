import * as z from 'zod'
import { AGENT_FIELD_SCHEMAS, LIMIT_SCHEMAS, type ParsedAgentFields } from './agent-fields.ts'
import { getOwn, isJsonObject, type JsonObject } from './json.ts'
import { PLAIN_FIELDS, PLAIN_LIMITS, type PlainReader } from './plain-fields.ts'

/** The value as its schema reads it; undefined when the schema refuses it. */
type Reader = (value: unknown) => unknown

/**
 * Reads fields as `agentFieldsSchema` does, for cards that are right: undefined when anything is wrong, and that schema tells what. Only
 * the keys that are there are looked at, each by itself: a card says a dozen of sixty. Values that need no change are shared, not copied.
 */
export function readAgentFields(fields: JsonObject): ParsedAgentFields | undefined {
  return readMembers(fields, FIELDS)
}

const LIMITS = toReaders(LIMIT_SCHEMAS, PLAIN_LIMITS)
const FIELDS = toReaders(AGENT_FIELD_SCHEMAS, PLAIN_FIELDS).set('limits', (limits) =>
  readMembers(limits, LIMITS),
)

function toReaders(
  schemas: typeof AGENT_FIELD_SCHEMAS,
  plain: Readonly<Record<string, PlainReader>>,
): Map<string, Reader> {
  return new Map(
    Object.entries(schemas).map(([key, schema]) => [key, toReader(schema.unwrap(), getOwn(plain, key))]),
  )
}

function toReader(schema: z.ZodType, readPlain: PlainReader = () => undefined): Reader {
  return (value) => readPlain(value) ?? z.safeParse(schema, value).data
}

function readMembers(value: unknown, readers: ReadonlyMap<string, Reader>): object | undefined {
  if (!isJsonObject(value)) return undefined
  const read: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const member = readers.get(key)?.(value[key])
    if (member === undefined) return undefined
    read[key] = member
  }
  return read
}
