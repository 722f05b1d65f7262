import type { AgentDefinition, ErrorCode, JsonObject } from '@troupe/schema'

/** A problem in a card, located as precisely as possible. */
export interface CardProblem {
  /** A card with an error has no definition. */
  readonly severity: 'error' | 'warning'
  readonly code: ErrorCode
  readonly message: string
  /** The path of the card as given. */
  readonly file: string
  /** Counted from 1. For something missing, the line where it would belong. */
  readonly line?: number
  /** Counted from 1. */
  readonly column?: number
  /** Suggestion for solving the problem. */
  readonly fix?: string
}

/** The interpretation of one key of a card. */
export interface FieldReport {
  /**
   * The key as written, with dots for nested keys and list indexes, such as `limits.max_turns` and
   * `toolHooks.0`.
   */
  readonly key: string
  readonly status: 'honoured' | 'translated' | 'ignored'
  /** The key or value it was translated to. */
  readonly to?: string
  readonly reason?: string
}

/** A parsed card. Frozen. Without a definition there is at least one problem of severity `error`. */
export interface ParsedCard {
  readonly path: string
  readonly definition?: AgentDefinition
  /** All problems, in the order of the file. */
  readonly problems: readonly CardProblem[]
  /** Name of the card format the file was read in. */
  readonly dialect: string
  readonly report: readonly FieldReport[]
  /**
   * Other files that the card refers to, read or not: schemas and included texts. `undefined` if there are
   * none.
   */
  readonly includes?: readonly string[]
  /**
   * Provider settings from the files of the card's product, with the keys of `providers` in troupe.json. Not
   * validated. `undefined` if there are none.
   */
  readonly providers?: JsonObject
  /** True if the card says `default: true`, even if it has errors. */
  readonly isDefault: boolean
  /**
   * Returns the position of a key or list item, such as `['agents', 0]`, or of the nearest one around it;
   * `undefined` if none was written. With a phrase, returns the position of the phrase in that value.
   * Computed on first use.
   */
  positionOf(path: readonly (string | number)[], phrase?: Phrase): CardPosition | undefined
}

/** A part of a text in a card. */
export interface Phrase {
  readonly text: string
  /** Number of earlier occurrences in the text to skip. */
  readonly skip: number
}

/** A position in a card. */
export interface CardPosition {
  /** Counted from 1. */
  readonly line: number
  /** Counted from 1. */
  readonly column: number
}
