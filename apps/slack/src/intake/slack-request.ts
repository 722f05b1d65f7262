import { isJsonObject, type Json } from '@troupe/schema'

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

/** A file in a message. */
export interface SharedFile {
  readonly id: string
  readonly name: string
  readonly mediaType: string
  /** In bytes. */
  readonly size: number
  /** Download URL, which needs the bot token; `undefined` if it must be looked up. */
  readonly url?: string
}

const MAX_FILES = 10

/** Reads the files of an event. Invalid entries are skipped. */
export function sharedFiles(files: Json | undefined): readonly SharedFile[] {
  if (!Array.isArray(files)) return []
  return (files as readonly Json[]).flatMap(toFile).slice(0, MAX_FILES)
}

/** Reads a file as a list of one; empty if it is invalid. */
export function toFile(file: Json | undefined): readonly SharedFile[] {
  if (!isJsonObject(file) || typeof file['id'] !== 'string') return []
  const { id, name, mimetype, size, url_private_download: download, url_private: address = download } = file
  const url = typeof download === 'string' ? download : address
  return [
    {
      id,
      name: typeof name === 'string' && name !== '' ? name : id,
      mediaType: typeof mimetype === 'string' ? mimetype : '',
      size: typeof size === 'number' ? size : 0,
      ...(typeof url === 'string' && url !== '' ? { url } : {}),
    },
  ]
}
