import type { Json, RunEvent, RunReport } from '@troupe/schema'
import type { EvalCase } from '../cases/eval-case.ts'

/** A finished run, as checks see it. */
export interface CheckedRun {
  readonly case: EvalCase
  /** Absolute path of the folder of the case file. */
  readonly folder: string
  readonly report: RunReport
  /** Durable events of the whole run tree, in order. */
  readonly events: readonly RunEvent[]
  /** True if a model answer came from a recording, so times were not measured. */
  readonly isRecorded: boolean
}

/** The result of an expectation before it is negated. */
export interface CheckFinding {
  readonly passed: boolean
  /** Why it failed or, for a negated check, what was found. */
  readonly message?: string
  readonly score?: number
  /** Set if nothing could be measured. The check then passes and decides nothing. */
  readonly undecided?: true
}

const SHOWN = 200

/** Formats a value for a message: as text or JSON, shortened. */
export function shown(value: Json | undefined): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? 'nothing')
  return text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text
}

/** Returns the answer as text. */
export function answerOf({ output }: RunReport): string {
  return output.text ?? (output.value === undefined ? '' : JSON.stringify(output.value))
}
