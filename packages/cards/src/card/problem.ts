import type { ErrorCode } from '@troupe/schema'
import type { CardProblem } from './card-types.ts'

/**
 * A problem before its position is known. `at` is a path as written in the file; without `severity` it is an
 * error.
 */
export interface ProblemDraft {
  readonly severity?: CardProblem['severity']
  readonly code: ErrorCode
  readonly message: string
  readonly at?: FieldPath
  /** Position in another file; without a line, if that file cannot be read. */
  readonly place?: Partial<Position> & { readonly file: string }
  readonly fix?: string
}

/** A position in a file, counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Creates a problem from a draft and its position. */
export function toProblem(draft: ProblemDraft, file: string, position: Position | undefined): CardProblem {
  const { file: otherFile, ...otherPosition } = draft.place ?? {}
  return Object.freeze({
    severity: draft.severity ?? 'error',
    code: draft.code,
    message: draft.message,
    file: otherFile ?? file,
    ...(draft.place === undefined ? position : otherPosition),
    ...(draft.fix === undefined ? {} : { fix: draft.fix }),
  })
}

/** The path of a value in a card: keys of mappings and indexes of lists. */
export type FieldPath = readonly (string | number)[]

/** Formats a path as text: `limits.maxTurns`, `agents.0`. */
export function dottedPath(path: FieldPath): string {
  return path.join('.')
}

const LONGEST = 120

/** Formats a path for a message: in backticks, and truncated if it is long. */
export function quotedPath(path: FieldPath): string {
  const text = dottedPath(path)
  return `\`${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}\``
}
