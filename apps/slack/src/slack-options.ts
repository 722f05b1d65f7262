import type { Host } from '@troupe/host'
import type { AgentRunner, Clock, RunStore } from '@troupe/schema'
import type { SlackConfig } from './slack-config.ts'
import type { SlackState } from './state/slack-state.ts'

/** What the app needs of a host. */
export type SlackHost = Pick<Host, 'agents' | 'resume' | 'definition' | 'redact'> & Pick<AgentRunner, 'run'>

/** What the app is made of. Nothing is read from the process. */
export interface SlackAppOptions {
  readonly host: SlackHost
  /** The store of the host. */
  readonly store: RunStore
  readonly state: SlackState
  readonly config: SlackConfig
  readonly clock: Clock
  /** The least time between two pieces of a message, in ms; default 700: Slack takes about one change a second. */
  readonly pauseMs?: number
  /** How long answers may go on when the app is told to end, in ms; default 30 s. What is left is answered after the next start. */
  readonly drainMs?: number
  /** Told of what goes wrong beside any answer. */
  onError?(thrown: unknown): void
}
