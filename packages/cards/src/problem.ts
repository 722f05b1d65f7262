import type { ErrorCode } from '@troupe/schema'
import type { CardProblem } from './card-types.ts'
import type { FieldPath } from './fields/field-path.ts'

/** A problem before it is located: `at` is a path as written in the file. Without severity it is an error. */
export interface ProblemDraft {
  readonly severity?: CardProblem['severity']
  readonly code: ErrorCode
  readonly message: string
  readonly at?: FieldPath
  /** Where it stands in another file. */
  readonly place?: Position & { readonly file: string }
  readonly fix?: string
}

/** A place in a file, from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** The problem of a draft at a place. */
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
