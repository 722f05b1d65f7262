import type { JsonObject } from '@troupe/schema'
import type { Expectation } from './expectation-schema.ts'

/** A location in a test file, counted from 1. */
export interface TestLocation {
  readonly line?: number
  readonly column?: number
}

/** A test file without errors. */
export interface TestFile {
  /** Absolute path. */
  readonly path: string
  /** Name of an agent in the folder of the file. Default: the entry of the folder. */
  readonly agent?: string
  /** The model answers: a script, the path of one, or the path of a recording. */
  readonly source:
    | { readonly kind: 'script'; readonly script: JsonObject }
    | { readonly kind: 'script-file'; readonly path: string }
    | { readonly kind: 'recording'; readonly path: string }
  readonly tests: readonly FileTest[]
}

/** One test of a test file. */
export interface FileTest {
  readonly name: string
  /** `undefined` for the input of the recording. */
  readonly input?: string | JsonObject
  readonly location: TestLocation
  readonly expectations: readonly { readonly expectation: Expectation; readonly location: TestLocation }[]
}
