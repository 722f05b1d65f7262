import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { FieldPath } from '../fields/field-path.ts'

/** Returns a copy of a value with one change, or `undefined` if the path does not fit the value. */
export function withChange(
  value: Json | undefined,
  { at, value: next }: { readonly at: FieldPath; readonly value: Json | undefined },
): Json | undefined {
  const [step, ...rest] = at
  if (step === undefined) return next
  if (typeof step === 'number') return inList(value ?? [], step, { at: rest, value: next })
  return inMapping(value ?? {}, step, { at: rest, value: next })
}

type Change = Parameters<typeof withChange>[1]

function inList(list: Json, index: number, change: Change): Json | undefined {
  if (!Array.isArray(list) || !Number.isInteger(index) || index < 0 || index > list.length) return undefined
  const members = list as readonly Json[]
  if (index === members.length && change.value === undefined) return members
  const changed = withChange(members[index], change)
  if (changed === undefined && change.at.length > 0) return undefined
  return [
    ...members.slice(0, index),
    ...(changed === undefined ? [] : [changed]),
    ...members.slice(index + 1),
  ]
}

function inMapping(mapping: Json, key: string, change: Change): Json | undefined {
  if (!isJsonObject(mapping)) return undefined
  const old = Object.hasOwn(mapping, key) ? mapping[key] : undefined
  if (old === undefined && change.value === undefined) return mapping
  const changed = withChange(old, change)
  if (changed === undefined && change.at.length > 0) return undefined
  return Object.fromEntries(entriesWith(mapping, key, changed))
}

/** Returns the entries with the value in its old position, or appended. */
function entriesWith(
  mapping: JsonObject,
  key: string,
  value: Json | undefined,
): readonly (readonly [string, Json])[] {
  const entries = Object.entries(mapping)
  if (!Object.hasOwn(mapping, key)) return value === undefined ? entries : [...entries, [key, value]]
  return entries.flatMap(([name, old]) => {
    if (name !== key) return [[name, old] as const]
    return value === undefined ? [] : [[name, value] as const]
  })
}
