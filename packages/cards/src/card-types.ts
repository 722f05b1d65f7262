import type { AgentDefinition, ErrorCode } from '@troupe/schema'

/** Something wrong or doubtful in a card, located as well as it can be. */
export interface CardProblem {
  /** An error leaves the card without a definition. */
  readonly severity: 'error' | 'warning'
  readonly code: ErrorCode
  readonly message: string
  /** The path of the card as it was given. */
  readonly file: string
  /** From 1. For something that is not there, the line where it would belong. */
  readonly line?: number
  /** From 1. */
  readonly column?: number
  /** What to do about it. */
  readonly fix?: string
}

/** What became of one key of a card. */
export interface FieldReport {
  /** As written; dots lead into mappings and lists, as in `limits.max_turns` and `toolHooks.0`. */
  readonly key: string
  readonly status: 'honoured' | 'translated' | 'ignored'
  /** What it was translated to. */
  readonly to?: string
  readonly reason?: string
}

/** What a card says. Frozen. Without a definition there is at least one problem of severity `error`. */
export interface ParsedCard {
  readonly path: string
  readonly definition?: AgentDefinition
  /** All problems, in the order of the file. */
  readonly problems: readonly CardProblem[]
  /** How the file was read. */
  readonly dialect: string
  readonly report: readonly FieldReport[]
  /** Other files that were read for it, or were to be: schemas and included texts. None: there are none. */
  readonly includes?: readonly string[]
  /** True where it says `default: true`, which is heard also of a card with errors. */
  readonly isDefault: boolean
  /** Where a key or an entry of it was written, such as `['agents', 0]`; undefined where it was not. With a phrase: where that stands in its text. Found when asked for. */
  positionOf(path: readonly (string | number)[], phrase?: Phrase): CardPosition | undefined
}

/** A piece of a text in a card. */
export interface Phrase {
  readonly text: string
  /** How often it stands in the text before the one that is meant. */
  readonly skip: number
}

/** A place in a card. */
export interface CardPosition {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
}

/** How a card is parsed. */
export interface ParseOptions {
  /** The path or address of the card: its ending tells the form, its stem the default name. Relative paths in the card resolve against its folder. */
  readonly path: string
  /** Reads a schema file named in the card; may throw. None: schema files are refused. */
  readonly readText?: (path: string) => string
  /** Reads a file of the project whose rules hold for the card; undefined if there is none, throws if it cannot be read. None: no such file is looked for. */
  readonly readProjectFile?: (path: string) => string | undefined
  /** Returns `path` without links: the rules of the project that the file itself belongs to hold, too. None: `path` has no links. */
  readonly realPath?: () => string
  /** Names of models that a configuration gives a meaning: in cards of other products, too, they stay as they are written. */
  readonly modelWords?: ReadonlySet<string> | undefined
}

/** How the cards of files are parsed. */
export type ReadOptions = Pick<ParseOptions, 'modelWords'>
