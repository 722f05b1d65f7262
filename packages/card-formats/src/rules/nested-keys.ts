import { getOwn, type Json, type JsonObject } from '@troupe/schema'
import { closest } from '@troupe/schema/text'
import type { FieldContext, FieldPath, FieldRow } from '@troupe/cards/formats'

/** A key of a nested mapping. */
interface NestedKey extends Omit<FieldRow, 'key'> {
  /** Returns true for a value that changes nothing, so that it needs no warning. */
  readonly isHarmless?: (value: Json) => boolean
}

/** The keys of a nested mapping, such as those of a toolset. */
export type NestedKeys = Readonly<Record<string, NestedKey>>

/** The location of the keys of a nested mapping, and the product that they belong to. */
interface NestedContext {
  readonly product: string
  readonly field: Pick<FieldContext, 'rewriter'>
  /** Path for reports, such as `models.fast`. */
  readonly label: string
  /** Position of the problems. */
  readonly at: FieldPath
}

/** Returns the rows of the documentation for the keys of a nested mapping. */
export function nestedRows(label: string, keys: NestedKeys): readonly FieldRow[] {
  return Object.entries(keys).map(([key, { isHarmless: _isHarmless, ...row }]) => ({
    ...row,
    key: `${label}.${key}`,
  }))
}

/** Reports the keys of a mapping that have no effect, with the problem that their loss causes. */
export function reportNestedKeys(value: JsonObject, keys: NestedKeys, context: NestedContext): void {
  const { field, label, at, product } = context
  for (const [key, member] of Object.entries(value)) {
    const { status, problem, reason = '', isHarmless } = getOwn(keys, key) ?? unknownKey(key, keys, product)
    if (member === null || status !== 'ignored') continue
    const path = `${label}.${key}`
    field.rewriter.note({ key: path, status, reason })
    if (problem === undefined || isHarmless?.(member) === true) continue
    field.rewriter.addProblem(
      problem === 'error'
        ? { code: 'card_unsupported', message: `\`${path}\`: ${reason}.`, at }
        : {
            severity: 'warning',
            code: 'key_without_effect',
            message: `\`${path}\` has no effect: ${reason}.`,
            at,
          },
    )
  }
}

function unknownKey(key: string, keys: NestedKeys, product: string): NestedKey {
  const near = closest(key, Object.keys(keys))
  return near === undefined
    ? { status: 'ignored', reason: `${product} has no such key` }
    : {
        status: 'ignored',
        problem: 'warning',
        reason: `${product} has no such key; did you mean \`${near}\`?`,
      }
}
