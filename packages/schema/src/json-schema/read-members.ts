import { getOwn, type Json, type JsonObject } from '../json.ts'
import type { ReadContext, SchemaLocation } from './read-context.ts'

/** Required type of a keyword's value. */
type MemberCheck = 'count' | ((value: Json) => boolean)

/** Returns the keywords with valid values, and reports the others as relaxations. */
export function readMembersOf(
  schema: JsonObject,
  checks: Readonly<Record<string, MemberCheck>>,
  { location, context }: { readonly location: SchemaLocation; readonly context: ReadContext },
): JsonObject {
  const members: [string, Json][] = []
  for (const [keyword, check] of Object.entries(checks)) {
    const value = getOwn(schema, keyword)
    if (value === undefined) continue
    if (check === 'count' ? isCount(value) : check(value)) members.push([keyword, value])
    else context.relax(location.path, keyword, 'its value is none that it can have')
  }
  return Object.fromEntries(members)
}

function isCount(value: Json): boolean {
  return Number.isInteger(value) && (value as number) >= 0
}
