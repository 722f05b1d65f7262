import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import type { FieldPath } from '../fields/field-path.ts'

/** Returns a copy of a value with one change, or `undefined` if the path does not fit the value. */
export function applyChange(
  value: Json | undefined,
  { at, value: next }: { readonly at: FieldPath; readonly value: Json | undefined },
): Json | undefined {
  const [step, ...rest] = at
  if (step === undefined) return next
  if (typeof step === 'number') return changeList(value ?? [], step, { at: rest, value: next })
  return changeMapping(value ?? {}, step, { at: rest, value: next })
}

type ValueChange = Parameters<typeof applyChange>[1]

function changeList(list: Json, index: number, change: ValueChange): Json | undefined {
  if (!Array.isArray(list) || !Number.isInteger(index) || index < 0 || index > list.length) return undefined
  const members = list as readonly Json[]
  if (index === members.length && change.value === undefined) return members
  const changed = applyChange(members[index], change)
  if (changed === undefined && change.at.length > 0) return undefined
  return [
    ...members.slice(0, index),
    ...(changed === undefined ? [] : [changed]),
    ...members.slice(index + 1),
  ]
}

function changeMapping(mapping: Json, key: string, change: ValueChange): Json | undefined {
  if (!isJsonObject(mapping)) return undefined
  const old = Object.hasOwn(mapping, key) ? mapping[key] : undefined
  if (old === undefined && change.value === undefined) return mapping
  const changed = applyChange(old, change)
  if (changed === undefined && change.at.length > 0) return undefined
  return Object.fromEntries(replaceEntry(mapping, key, changed))
}

/** Returns the entries with the value in its old position, or appended. */
function replaceEntry(
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
