import { isJsonObject, type Json } from '@troupe/schema'

/** An operation of JSON Patch (RFC 6902). `move`, `copy` and `test` are not supported. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }

/** Applies the operations to a copy of the document. Returns the problem of the first one that does not apply. */
export function applyPatch(
  document: Json,
  operations: readonly PatchOperation[],
): { readonly value: Json } | { readonly problem: string } {
  const value = structuredClone(document)
  for (const operation of operations) {
    const problem = applyOperation(value, operation)
    if (problem !== undefined) return { problem: `${operation.op} ${operation.path}: ${problem}` }
  }
  return { value }
}

function applyOperation(document: Json, operation: PatchOperation): string | undefined {
  const { path } = operation
  if (!path.startsWith('/')) return 'the path must start with "/"; pass `value` to replace everything'
  const keys = path
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keys.includes('__proto__')) return 'the key __proto__ is not allowed'
  const key = keys.pop() ?? ''
  let parent: Json | undefined = document
  for (const step of keys) parent = memberOf(parent, step)
  if (Array.isArray(parent)) return changeArray(parent as Json[], key, operation)
  if (!isJsonObject(parent)) return 'there is no object or array at the parent of this path'
  const object = parent as Record<string, Json>
  if (operation.op !== 'add' && !Object.hasOwn(object, key)) return 'there is no value'
  if (operation.op === 'remove') delete object[key]
  else object[key] = operation.value
  return undefined
}

function memberOf(parent: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(parent)) return INDEX.test(key) ? (parent as readonly Json[])[Number(key)] : undefined
  return isJsonObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined
}

const INDEX = /^(?:0|[1-9]\d{0,8})$/u

function changeArray(array: Json[], key: string, operation: PatchOperation): string | undefined {
  const isAdded = operation.op === 'add'
  const index = isAdded && key === '-' ? array.length : INDEX.test(key) ? Number(key) : Infinity
  if (index >= array.length + (isAdded ? 1 : 0)) return `the array has ${array.length} elements`
  if (operation.op === 'remove') array.splice(index, 1)
  else array.splice(index, isAdded ? 0 : 1, operation.value)
  return undefined
}
