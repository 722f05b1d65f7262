import type { AgentView } from '../agent-view/agent-view.ts'
import type { ViewedChannels } from '../agent-view/viewed-channels.ts'
import type { RedactedPieces, RunStore } from '@troupe/schema'
import type { RedactedText } from '../view/redact-text.ts'
import type { Workspace } from '../app/workspaces.ts'
import type { SlackAppOptions } from '../slack-options.ts'
import type { OpenRequests } from './open-requests.ts'

/** What everything that answers needs. */
export interface SlackDesk extends Omit<SlackAppOptions, 'store'> {
  /** The events of runs, as people in Slack may see them. */
  readonly store: Pick<RunStore, 'events'>
  readonly workspaces: ReadonlyMap<string, Workspace>
  /** Requests that are at work in this process. */
  readonly open: OpenRequests
  /** What Slack shows around conversations. */
  readonly view: AgentView
  readonly viewed: ViewedChannels
  /** Without secrets: those of the team, and the tokens of the app. */
  readonly hide: RedactedText
  /** Without the tokens, in a text that comes in pieces. */
  pieces(): RedactedPieces
  /** The app ends: what is not answered by now is left as it is, for the next start. */
  isLeaving(): boolean
  onError(thrown: unknown): void
}
