import type { TeamOptions } from '../team/load-host.ts'
import type { StoreOptions } from '../run-store/store-file.ts'
import type { LogFormat } from '../terminal/context.ts'

export interface ChatOptions extends TeamOptions, StoreOptions {
  /** Id of the conversation to continue or to start. */
  readonly session?: string
  /** True to continue the conversation that changed last. */
  readonly continue?: boolean
  /** True to list the conversations instead of starting one. */
  readonly list?: boolean
  /** True to read all of stdin as one message, if it is not a terminal. */
  readonly whole?: boolean
  readonly timeout?: string
  readonly maxCost?: string
  readonly maxTokens?: string
  readonly yes?: boolean
  /** True to reload the team when its files change. */
  readonly watch?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly logFormat?: LogFormat
}
