import type { TeamOptions } from '../team/load-host.ts'
import type { StoreOptions } from '../stored/store-file.ts'
import type { LogFormat } from '../syntax/launch.ts'

/** The options of `troupe chat`. */
export interface ChatOptions extends TeamOptions, StoreOptions {
  /** The conversation to go on with, or to begin. */
  readonly session?: string
  /** Goes on with the one that changed last. */
  readonly continue?: boolean
  /** Lists the conversations in place of one. */
  readonly list?: boolean
  /** Without a terminal: all of stdin is one message. */
  readonly whole?: boolean
  readonly timeout?: string
  readonly maxCost?: string
  readonly maxTokens?: string
  readonly yes?: boolean
  /** Edits of the team are taken at once. */
  readonly watch?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly logFormat?: LogFormat
}
