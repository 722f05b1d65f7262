import { type Json, isJsonObject, type JsonObject } from '@troupe/schema'
import {
  dottedPath,
  type FieldContext,
  type FieldOutcome,
  type FieldPath,
  type FieldRow,
} from '@troupe/cards/formats'

/** A rule for a key of another product. Its status, `to` and `reason` are also shown in the documentation. */
export interface FieldRule extends Omit<FieldRow, 'key'> {
  /** Applies the rule to a value. Never throws. Without it, the key has no effect. */
  readonly apply?: (value: Json, field: FieldContext) => FieldOutcome
}

/** The rules of a card format by key. */
export type FieldRules = Readonly<Record<string, FieldRule>>

/** Creates a rule for a key that means the same in Troupe. */
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

/**
 * Creates a rule for a key that has another name in Troupe, and possibly another form. A value that cannot be
 * converted is kept, so that the schema rejects it.
 */
export function move(
  to: FieldPath,
  options: { readonly convert?: (value: Json) => Json | undefined; readonly reason?: string } = {},
): FieldRule {
  const { convert = identity, ...note } = options
  return {
    status: 'translated',
    to: dottedPath(to),
    ...note,
    apply: (value, { rewriter, from }) => {
      rewriter.put(to, convert(value) ?? value, from)
      return undefined
    },
  }
}

/** Creates a rule for a key without which the agent does the same. */
export function drop(reason: string): FieldRule {
  return { status: 'ignored', reason }
}

/** Creates a rule for a key without which the agent does something else. The key is dropped with a warning. */
export function dropWithWarning(reason: string): FieldRule {
  return {
    status: 'ignored',
    problem: 'warning',
    reason,
    apply: (_value, field) => ignoredWithWarning(reason, field),
  }
}

/** Warns of a value that has no effect, and returns its outcome. */
export function ignoredWithWarning(
  reason: string,
  { rewriter, from }: FieldContext,
): NonNullable<FieldOutcome> {
  rewriter.addProblem({
    severity: 'warning',
    code: 'key_without_effect',
    message: `\`${dottedPath(from)}\` has no effect: ${reason}.`,
    at: from,
  })
  return ignored(reason)
}

/** Creates a rule like `dropWithWarning` for a key that changes nothing if it is off: false, `disabled`, 0 or -1. */
export function dropUnlessOff(reason: string): FieldRule {
  const warning = dropWithWarning(reason)
  return {
    ...warning,
    apply: (value, field) => (OFF.has(value) ? ignored('it is off') : warning.apply?.(value, field)),
  }
}

const OFF: ReadonlySet<Json> = new Set<Json>([false, 'disabled', 0, -1])

/** Creates a rule for a key without which the agent could do more or would not do its job. It is an error. */
export function refuse(reason: string, fix: string): FieldRule {
  return {
    status: 'ignored',
    problem: 'error',
    reason,
    apply: (_value, { rewriter, from }) => {
      rewriter.addProblem({
        code: 'card_unsupported',
        message: `\`${dottedPath(from)}\`: ${reason}.`,
        at: from,
        fix,
      })
      return undefined
    },
  }
}

/** Creates a rule with custom handling. */
export function rule(
  row: Omit<FieldRow, 'key'>,
  apply: (value: Json, field: FieldContext) => FieldOutcome,
): FieldRule {
  return { ...row, apply }
}

/** Creates the outcome of a value that has no meaning in Troupe. */
export function ignored(reason: string): NonNullable<FieldOutcome> {
  return { status: 'ignored', reason }
}

/** Creates the outcome of a value, or the rule for a key, that means something else in Troupe. */
export function translated(to: string, reason?: string): NonNullable<FieldOutcome> {
  return { status: 'translated', to, ...(reason === undefined ? {} : { reason }) }
}

function identity(value: Json): Json {
  return value
}

export function isText(value: Json | undefined): value is string {
  return typeof value === 'string'
}

/** Returns the value if it is a mapping, else an empty mapping. */
export function mappingOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** Converts a single value to text. Returns `otherwise` for lists, mappings and missing values. */
export function textOf(value: Json | undefined, otherwise = ''): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : otherwise
}
