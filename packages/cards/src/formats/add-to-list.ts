import { canonicalJson, type Json } from '@troupe/schema'
import type { FieldPath } from '../fields/field-path.ts'
import type { Rewriter } from './rewriter.ts'

/** Adds entries to a list without duplicates and records where they were written. */
export function addToList(
  rewriter: Rewriter,
  list: { readonly to: FieldPath; readonly values: readonly Json[]; readonly from: FieldPath },
): void {
  const { to, values, from } = list
  const present = rewriter.get(to)
  const before: readonly Json[] = Array.isArray(present) ? (present as readonly Json[]) : []
  const known = new Set(before.map((value) => canonicalJson(value)))
  const added = values.filter((value) => {
    const text = canonicalJson(value)
    const isNew = !known.has(text)
    known.add(text)
    return isNew
  })
  if (added.length === 0) return
  if (before.length > 0) rewriter.remove(to)
  rewriter.put(to, [...before, ...added], from)
  for (const index of added.keys()) rewriter.locate([...to, before.length + index], from)
}
