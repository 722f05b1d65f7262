import type { JsonObject } from '@troupe/schema'
import type { FieldReport } from '../card-types.ts'
import type { FieldPath } from '../fields/field-path.ts'
import type { Position, ProblemDraft } from '../problem.ts'
import type { ProjectSettings } from './project-settings.ts'

/** What a dialect is told by, and what it translates. */
export interface DialectInput {
  readonly path: string
  /** The keys as written. */
  readonly fields: JsonObject
  /** The prose behind the front matter, where the file has some. */
  readonly body: string | undefined
  /** Reads a file that the prompt includes; may throw. None: nothing is included. */
  readonly readText?: ((path: string) => string) | undefined
  /** Where a path stands in the file, or what is nearest to it. */
  readonly positionOf?: ((path: FieldPath) => Position | undefined) | undefined
  /** Settings outside of the agent that hold for it, in the order in which they count. */
  readonly project?: readonly ProjectSettings[] | undefined
  /** Names of models that stay as they are written. */
  readonly modelWords?: ReadonlySet<string> | undefined
}

/** The keys of a card in our own words. */
export interface Translation {
  readonly fields: JsonObject
  readonly report: readonly FieldReport[]
  readonly problems: readonly ProblemDraft[]
  /** For what was moved: the path as written, by our path as text. The longest prefix counts. */
  readonly origins: ReadonlyMap<string, FieldPath>
  /** The prompt, where it is not the body as written. */
  readonly body?: string
  /** Where the whole agent stands in a file that holds several. */
  readonly at?: FieldPath
  /** True if the agent gets tools that the file does not list, because its product gives them to every agent. */
  readonly grantsUnlistedTools?: boolean
}

/** What becomes of one key, for the tables of the documentation. */
export interface FieldRow {
  readonly key: string
  readonly status: FieldReport['status']
  readonly to?: string
  readonly reason?: string
}

/** One way to write cards. */
export interface Dialect {
  /** The value of `dialect:`. */
  readonly name: string
  /** Keys of its own with the keys they stand for, for "did you mean". */
  readonly aliases: ReadonlyMap<string, string>
  /** Whose files these are, for people. */
  readonly product: string
  /** True when its product reads front matter whose text lacks the quotes that YAML wants. */
  readonly isLoose?: boolean
  /** Every key it has. */
  readonly rows: readonly FieldRow[]
  /** Where its files lie, for people. */
  readonly places: readonly string[]
  /** True for paths in folders that nothing else would have. */
  isAt(path: string): boolean
  /** True for file names that are its own, unless the keys are plainly ours. */
  endsLike(path: string): boolean
  /** True if its keys are ours and some of its own. */
  readonly extendsOurs: boolean
  /** True if it has every key of the card. */
  hasKeys(card: DialectInput): boolean
  /** True when it knows every key, and every value is one that it could hold. */
  covers(card: DialectInput): boolean
  /** True for a shape that no other dialect has, whatever else stands in the file. */
  isMarked(card: DialectInput): boolean
  /** Pure; never throws. Keys it does not know stay where they are. */
  translate(card: DialectInput): Translation
  /** The files beside a card, as paths, whose rules hold for it. They need not exist. */
  projectFiles?(path: string): readonly string[]
  /** For a file that may hold several agents: all of them; undefined when it holds one. */
  several?(card: DialectInput): readonly Translation[] | undefined
}
