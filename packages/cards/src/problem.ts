import type { ErrorCode } from '@troupe/schema'
import type { CardProblem } from './card-types.ts'
import type { FieldPath } from './fields/field-path.ts'

/**
 * A problem before its position is known. `at` is a path as written in the file; without `severity` it is an
 * error.
 */
export interface ProblemDraft {
  readonly severity?: CardProblem['severity']
  readonly code: ErrorCode
  readonly message: string
  readonly at?: FieldPath
  /** Position in another file. */
  readonly place?: Position & { readonly file: string }
  readonly fix?: string
}

/** A position in a file, counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Creates a problem from a draft and its position. */
export function toProblem(draft: ProblemDraft, file: string, position: Position | undefined): CardProblem {
  return Object.freeze({
    severity: draft.severity ?? 'error',
    code: draft.code,
    message: draft.message,
    file: draft.place?.file ?? file,
    ...(draft.place === undefined ? position : { line: draft.place.line, column: draft.place.column }),
    ...(draft.fix === undefined ? {} : { fix: draft.fix }),
  })
}
