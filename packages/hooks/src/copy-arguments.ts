import { isJsonObject, troupeError, type JsonObject } from '@troupe/schema'

/** Copies made here: deeply frozen, so they can be shared instead of copied again. */
const frozen = new WeakSet<object>()

/**
 * Arguments that nobody can change any more. The same object when it is such a copy already.
 * Throws `tool_bad_arguments` when the value is not a JSON object.
 */
export function frozenCopy(args: JsonObject): JsonObject {
  if (isJsonObject(args) && frozen.has(args)) return args
  const copy = mutableCopy(args)
  freeze(copy)
  frozen.add(copy)
  return copy
}

/** A copy as it would arrive through JSON: members without a JSON value are gone. Throws `tool_bad_arguments` like {@link frozenCopy}. */
export function mutableCopy(args: JsonObject): JsonObject {
  const copy = throughJson(args)
  if (!isJsonObject(copy)) {
    throw troupeError('tool_bad_arguments', 'The arguments are not a JSON object.')
  }
  return copy
}

function throughJson(value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined
    return text === undefined ? undefined : JSON.parse(text)
  } catch (thrown) {
    throw troupeError('tool_bad_arguments', 'The arguments cannot be written as JSON.', { cause: thrown })
  }
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  Object.freeze(value)
  for (const member of Object.values(value)) freeze(member)
}
