import type { RedactedText } from '../view/redact-text.ts'
import type { Workspace } from '../app/workspaces.ts'
import type { SlackAppOptions } from '../slack-options.ts'
import type { OpenRequests } from './open-requests.ts'

/** What everything that answers needs. */
export interface SlackDesk extends SlackAppOptions {
  readonly workspaces: ReadonlyMap<string, Workspace>
  /** Requests that are at work in this process. */
  readonly open: OpenRequests
  /** Without secrets: those of the team, and the tokens of the app. */
  readonly hide: RedactedText
  /** The app ends: what is not answered by now is left as it is, for the next start. */
  isLeaving(): boolean
  onError(thrown: unknown): void
}
