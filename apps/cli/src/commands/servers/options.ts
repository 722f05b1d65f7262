import type { TeamOptions } from '../../team/load-host.ts'

/** The options of every `troupe servers` command. */
export interface ServersOptions extends TeamOptions {
  readonly json?: boolean
}
