import type { AgentView } from '../agent-view/agent-view.ts'
import type { ViewedChannels } from '../agent-view/viewed-channels.ts'
import type { StreamRedactor, RunStore } from '@troupe/schema'
import type { TextRedactor } from '../view/redact-text.ts'
import type { Workspace } from '../app/workspaces.ts'
import type { SlackAppOptions } from '../slack-options.ts'
import type { OpenRequests } from './open-requests.ts'

/** Dependencies of the code that answers requests. */
export interface SlackContext extends Omit<SlackAppOptions, 'store'> {
  /** Run events, cleaned for people in Slack. */
  readonly store: Pick<RunStore, 'events'>
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
