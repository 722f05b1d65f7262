import { isJsonObject } from '@troupe/schema'
import { memberContentKind, keywordContentKind, type KeywordContentKind } from './schema-keywords.ts'

/** Maximum nesting of schemas, or of containers in their data. */
const MAX_DEPTH = 32
const MAX_SUBSCHEMAS = 1000
const MAX_VALUES = 100_000
/** Maximum length of the name of a subschema in characters. Paths consist of these names. */
const MAX_NAME = 2000

/** Result of checking a schema before recursing into it. */
export type SchemaMeasure =
  | { readonly ok: true; readonly hasDefaults: boolean }
  | { readonly ok: false; readonly problem: string }

interface PendingNode {
  readonly key: string
  readonly value: unknown
  readonly kind: KeywordContentKind
  readonly depth: number
}

/**
 * Checks the size of a schema without recursion, so that a deep, circular or wide schema can neither overflow
 * the stack nor take long.
 */
export function measureSchema(schema: unknown): SchemaMeasure {
  const pending: PendingNode[] = [{ key: '', value: schema, kind: 'schema', depth: 1 }]
  let subschemas = 0
  let values = 0
  let hasDefaults = false
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { key, value, kind, depth } = item
    values += 1
    if (depth > MAX_DEPTH) return refuse(`it is nested more than ${MAX_DEPTH} levels deep`)
    if (values > MAX_VALUES) return refuse(`it has more than ${MAX_VALUES} values`)
    if (kind === 'schema') {
      subschemas += 1
      if (subschemas > MAX_SUBSCHEMAS) return refuse(`it has more than ${MAX_SUBSCHEMAS} subschemas`)
      if (key.length > MAX_NAME) return refuse(`a name in it is longer than ${MAX_NAME} characters`)
      if (!isJsonObject(value) && typeof value !== 'boolean')
        return refuse(`"${key.slice(0, 100)}" is neither an object nor true or false`)
    }
    if (typeof value !== 'object' || value === null) continue
    hasDefaults ||= Object.hasOwn(value, 'default')
    for (const [name, member] of Object.entries(value)) pending.push(toMemberNode(item, name, member))
  }
  return { ok: true, hasDefaults }
}

function toMemberNode({ kind, depth }: PendingNode, key: string, value: unknown): PendingNode {
  if (kind === 'data') return { key, value, kind, depth: depth + 1 }
  if (kind !== 'schema') return { key, value, kind: memberContentKind(value), depth: depth + 1 }
  const next = keywordContentKind(key, value)
  return { key, value, kind: next, depth: next === 'schema' || isContainer(next, value) ? depth + 1 : depth }
}

function isContainer(kind: KeywordContentKind, value: unknown): boolean {
  return kind === 'data' && typeof value === 'object' && value !== null
}

function refuse(problem: string): SchemaMeasure {
  return { ok: false, problem }
}
