import { isJsonObject, troupeError, type JsonObject } from '@troupe/schema'

/**
 * Copies arguments the way a JSON round trip would: members without a JSON value are dropped and nothing is
 * shared. Throws `tool_bad_arguments` if the value is not a JSON object.
 */
export function copyArguments(args: JsonObject): JsonObject {
  const copy = copyPlain(args, 0) ?? copyByJson(args)
  if (!isJsonObject(copy)) throw troupeError('tool_bad_arguments', 'The arguments are not a JSON object.')
  return copy
}

/** Deeper values go through `JSON.stringify`, which detects cycles. */
const MAX_DEPTH = 32

/** Copies plain JSON data, the usual case. Returns `undefined` if any part of it is not plain JSON. */
function copyPlain(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : undefined
    case 'object':
      if (value === null) return null
      if (depth > MAX_DEPTH) return undefined
      return Array.isArray(value) ? copyList(value, depth + 1) : copyObject(value, depth + 1)
    default:
      return undefined
  }
}

function copyList(list: readonly unknown[], depth: number): unknown[] | undefined {
  const copy: unknown[] = []
  for (const item of list) {
    const made = copyPlain(item, depth)
    if (made === undefined) return undefined
    copy.push(made)
  }
  return copy
}

function copyObject(value: object, depth: number): object | undefined {
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const made = key === '__proto__' ? undefined : copyPlain((value as Record<string, unknown>)[key], depth)
    if (made === undefined) return undefined
    copy[key] = made
  }
  return copy
}

function copyByJson(value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined
    return text === undefined ? undefined : JSON.parse(text)
  } catch (thrown) {
    throw troupeError('tool_bad_arguments', 'The arguments cannot be serialized as JSON.', { cause: thrown })
  }
}
