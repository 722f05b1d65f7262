import type { AgentRunner, Clock } from '@troupe/schema'
import type { StreamRedactor, RunStore } from '@troupe/schema/ports'
import type { Host } from '@troupe/host'
import type { AgentView, ViewedChannels } from './agent-view.ts'
import type { TextRedactor } from '../view/hide-chunks.ts'
import type { Workspace } from './workspaces.ts'
import type { OpenRequests } from './open-requests.ts'
import type { SlackConfig } from '../config/slack-config.ts'
import type { SlackState } from '../state/slack-state.ts'

/** The methods of a host that the app calls. */
export type SlackHost = Pick<Host, 'agents' | 'resume' | 'definition' | 'redact' | 'writeTarget'> &
  Pick<AgentRunner, 'run'>

/** Options of the app. It reads nothing from the process. */
export interface SlackAppOptions {
  readonly host: SlackHost
  /** The store that the host writes to. */
  readonly store: RunStore
  readonly state: SlackState
  readonly config: SlackConfig
  readonly clock: Clock
  /**
   * Address of the web page of a server that uses the same store, for links to whole calls. Default: no links.
   */
  readonly pageUrl?: string
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

/** Dependencies of the code that answers requests. */
export interface SlackContext extends Omit<SlackAppOptions, 'store'> {
  /** Run events, cleaned for people in Slack, and labels. */
  readonly store: Pick<RunStore, 'events' | 'setLabel'>
  readonly workspaces: ReadonlyMap<string, Workspace>
  /** Requests that this process is answering. */
  readonly open: OpenRequests
  /** Status, titles and suggested prompts of conversations. */
  readonly view: AgentView
  readonly viewed: ViewedChannels
  /** Redacts the secrets of the team and the tokens of the app. */
  readonly hide: TextRedactor
  /** Creates a redactor of the app's tokens for streamed text. */
  pieces(): StreamRedactor
  /** Returns true once the app is closing. Requests without an answer are left for the next start. */
  isClosing(): boolean
  onError(thrown: unknown): void
}
