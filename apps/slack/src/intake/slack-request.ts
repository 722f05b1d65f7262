import type { SharedFile } from '../files/shared-file.ts'

/** A question from a person. Plain data: it is stored before Slack gets an acknowledgement. */
export interface SlackRequest {
  /** The id of the event, command or click; the same if Slack sends it again. */
  readonly id: string
  readonly kind: 'mention' | 'direct' | 'command' | 'retry'
  readonly team: string
  readonly channel: string
  readonly user: string
  /** The text without the mention of the app. */
  readonly text: string
  /** The thread to answer in; `undefined` for a command, which starts a new one. */
  readonly threadTs?: string
  readonly files?: readonly SharedFile[]
  /** True if the message starts its thread. */
  readonly isFirst?: boolean
  /** The channel that the person has open beside the conversation. */
  readonly viewing?: string
}

/** The progress of an answer: its messages, stored so that a later process can find them. */
export interface AnswerProgress {
  /** The message that starts the thread of a command. */
  readonly rootTs?: string
  /** The streamed message. */
  readonly answerTs?: string
  /** The message with the Stop button. */
  readonly controlsTs?: string
  /** True once messages may have been posted, even if their ids are not stored. */
  readonly begun?: boolean
  /** True once Slack was asked to end the streamed message. */
  readonly ending?: boolean
  /** The messages that ask for an approval, by approval id. */
  readonly questions?: Readonly<Record<string, string>>
}

/** Returns the id of the run that answers a request. It is the same after a restart. */
export function runIdOf({ team, id }: Pick<SlackRequest, 'team' | 'id'>): string {
  return `slack-${team}-${id}`.replaceAll(/[^\w.-]/gu, '-')
}

/** Returns the thread of a request; `undefined` if it has none yet. */
export function threadOf(request: SlackRequest, progress: AnswerProgress): string | undefined {
  return request.threadTs ?? progress.rootTs
}
