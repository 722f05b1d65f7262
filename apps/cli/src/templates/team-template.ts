import type { JsonObject } from '@troupe/schema'

/** A small team for one job, which `troupe init` writes. */
export interface TeamTemplate {
  /** Heading of its README. */
  readonly title: string
  /** Paragraph of its README that describes the files. */
  readonly about: string
  /** Message of the first run. */
  readonly example: string
  /** Cards, tools, a script, tests and samples, by path. */
  readonly files: Readonly<Record<string, string>>
  /** Keys of `troupe.json` other than the model. */
  readonly config?: JsonObject
  /** Commands to try next, in the folder of the team. */
  readonly commands: readonly NextCommand[]
  /** Last part of its README: steps that need something from outside. */
  readonly more?: string
}

/** A command that is printed as a next step. */
export interface NextCommand {
  readonly command: string
  readonly purpose: string
}
