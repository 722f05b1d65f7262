import type { Json } from '@troupe/schema'
import type { FieldReport } from '../card-types.ts'
import { dotted, type FieldPath } from '../fields/field-path.ts'
import type { DialectInput, FieldRow } from './dialect.ts'
import type { Rewriter } from './rewriter.ts'
import type { ToolGrant } from './tool-grant.ts'

/** Where a rule stands when it is applied. */
export interface FieldContext {
  readonly rewriter: Rewriter
  readonly card: DialectInput
  /** The key as written. */
  readonly from: FieldPath
  /** What the agent may use, gathered from all keys and put when all are read. */
  readonly grant: ToolGrant
}

/** What became of a value, where it is not what the rule says of its key. */
export type FieldOutcome = Omit<FieldReport, 'key'> | undefined

/** What another product's key means here. Its status, `to` and `reason` are also the row of the documentation. */
export interface FieldRule extends Omit<FieldRow, 'key'> {
  /** None: the key does nothing. Never throws. */
  readonly apply?: (value: Json, field: FieldContext) => FieldOutcome
}

/** Keys of a dialect with their rules. */
export type FieldRules = Readonly<Record<string, FieldRule>>

/** A key that means the same here. */
export function keep(note: { readonly reason?: string } = {}): FieldRule {
  return {
    status: 'honoured',
    ...note,
    apply: (value, { rewriter, from }) => {
      rewriter.put(from.slice(-1), value, from)
      return undefined
    },
  }
}

/** A key that has another name here, and perhaps another form. A value that cannot be converted stays: the schema complains of it. */
export function move(
  to: FieldPath,
  options: { readonly convert?: (value: Json) => Json | undefined; readonly reason?: string } = {},
): FieldRule {
  const { convert = same, ...note } = options
  return {
    status: 'translated',
    to: dotted(to),
    ...note,
    apply: (value, { rewriter, from }) => {
      rewriter.put(to, convert(value) ?? value, from)
      return undefined
    },
  }
}

/** A key that has no meaning here. */
export function drop(reason: string): FieldRule {
  return { status: 'ignored', reason }
}

/** A key that promises some protection which is not kept: left out with a warning. */
export function dropLoudly(reason: string): FieldRule {
  return {
    status: 'ignored',
    reason,
    apply: (_value, { rewriter, from }) => {
      rewriter.tell({
        severity: 'warning',
        code: 'key_without_effect',
        message: `\`${dotted(from)}\` has no effect here: ${reason}.`,
        at: from,
      })
      return undefined
    },
  }
}

/** A key with a way of its own. */
export function rule(
  row: Omit<FieldRow, 'key'>,
  apply: (value: Json, field: FieldContext) => FieldOutcome,
): FieldRule {
  return { ...row, apply }
}

/** What became of a value that has no meaning here. */
export function ignored(reason: string): FieldOutcome {
  return { status: 'ignored', reason }
}

/** What became of a value that means something else. */
export function translated(to: string, reason?: string): FieldOutcome {
  return { status: 'translated', to, ...(reason === undefined ? {} : { reason }) }
}

function same(value: Json): Json {
  return value
}
