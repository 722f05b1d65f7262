import type { Host } from '@troupe/host'
import type { AgentRunner, Clock, RunStore } from '@troupe/schema'
import type { SlackConfig } from './slack-config.ts'
import type { SlackState } from './state/slack-state.ts'

/** The methods of a host that the app calls. */
export type SlackHost = Pick<Host, 'agents' | 'resume' | 'definition' | 'redact'> & Pick<AgentRunner, 'run'>

/** Options of the app. It reads nothing from the process. */
export interface SlackAppOptions {
  readonly host: SlackHost
  /** The store that the host writes to. */
  readonly store: RunStore
  readonly state: SlackState
  readonly config: SlackConfig
  readonly clock: Clock
  /**
   * Minimum time between two updates of a message, in ms. Default: 700, because Slack takes about one update
   * a second.
   */
  readonly pauseMs?: number
  /**
   * Time that running answers get when the app closes, in ms. Default: 30,000. Unfinished requests are
   * answered after the next start.
   */
  readonly drainMs?: number
  /** Called with errors that no answer shows. */
  onError?(thrown: unknown): void
}
