import type { SharedFile } from '../files/shared-file.ts'

/** What a person wants answered. Plain data: it is kept before Slack is told that it has come. */
export interface SlackRequest {
  /** The id of the event, of the command or of the click: the same when Slack sends it again. */
  readonly id: string
  readonly kind: 'mention' | 'direct' | 'command' | 'retry'
  readonly team: string
  readonly channel: string
  readonly user: string
  /** As it was written, without the name of the app. */
  readonly text: string
  /** The thread that is answered in. None: a command, for which one is begun. */
  readonly threadTs?: string
  readonly files?: readonly SharedFile[]
  /** It begins its thread. */
  readonly isFirst?: boolean
  /** The channel that the person has open beside the conversation. */
  readonly viewing?: string
}

/** Where an answer stands. */
export interface RequestPlace {
  /** The message that begins the thread of a command. */
  readonly rootTs?: string
  /** The message that is streamed. */
  readonly answerTs?: string
  /** The message with the button that stops. */
  readonly controlsTs?: string
  /** Messages have been begun: some may be there of which nothing is noted. */
  readonly begun?: boolean
  /** Slack has been told to end the message. */
  readonly ending?: boolean
  /** The messages that ask for a tool, by approval. */
  readonly questions?: Readonly<Record<string, string>>
}

/** The id of the run that answers a request: the same after a restart. */
export function runIdOf({ team, id }: Pick<SlackRequest, 'team' | 'id'>): string {
  return `slack-${team}-${id}`.replaceAll(/[^\w.-]/gu, '-')
}

/** The thread of a request, when it has one. */
export function threadOf(request: SlackRequest, place: RequestPlace): string | undefined {
  return request.threadTs ?? place.rootTs
}
