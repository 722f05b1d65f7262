import type { JsonObject } from '@troupe/schema'
import type { FieldReport } from '../card-types.ts'
import type { FieldPath } from '../field-path.ts'
import type { ProblemDraft } from '../problem.ts'

/** What a dialect is told by, and what it translates. */
export interface DialectInput {
  readonly path: string
  /** The keys as written. */
  readonly fields: JsonObject
  /** The prose behind the front matter, where the file has some. */
  readonly body: string | undefined
}

/** The keys of a card in our own words. */
export interface Translation {
  readonly fields: JsonObject
  readonly report: readonly FieldReport[]
  readonly problems: readonly ProblemDraft[]
  /** For what was moved: the path as written, by our path as text. The longest prefix counts. */
  readonly origins: ReadonlyMap<string, FieldPath>
}

/** One way to write cards. */
export interface Dialect {
  /** The value of `dialect:`. */
  readonly name: string
  /** Keys of its own with the keys they stand for, for "did you mean". */
  readonly aliases: ReadonlyMap<string, string>
  /** True when a file is written in it, told by its path, else by its keys. */
  recognises(card: DialectInput): boolean
  /** Pure; never throws. Keys it does not know stay where they are. */
  translate(card: DialectInput): Translation
}
