import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { unescapeSlack } from '../view/slack-text.ts'

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
function sharedFiles(files: Json | undefined): readonly SharedFile[] {
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

/**
 * Parses a Slack payload as a request. Returns `undefined` for everything else, including edits, and messages
 * of bots and of the app itself, which could cause loops.
 */
export function toRequest(body: JsonObject): SlackRequest | undefined {
  if (typeof body['command'] === 'string') return commandRequest(body)
  const { event } = body
  if (body['type'] !== 'event_callback' || !isJsonObject(event)) return undefined
  const kind = kindOf(event)
  const team = textOf(body, 'team_id') ?? textOf(event, 'team')
  const id = textOf(body, 'event_id')
  const channel = textOf(event, 'channel')
  const user = textOf(event, 'user')
  const threadTs = textOf(event, 'thread_ts') ?? textOf(event, 'ts')
  if (kind === undefined || team === undefined || id === undefined || channel === undefined) return undefined
  if (user === undefined || threadTs === undefined) return undefined
  const files = sharedFiles(event['files'])
  const viewing = viewedChannel(event['app_context'])
  return {
    id,
    kind,
    team,
    channel,
    user,
    text: wordsOf(textOf(event, 'text') ?? ''),
    threadTs,
    ...(textOf(event, 'thread_ts') === undefined ? { isFirst: true } : {}),
    ...(files.length === 0 ? {} : { files }),
    ...(viewing === undefined ? {} : { viewing }),
  }
}

/** Message subtypes that are written by people. */
const PERSON_SUBTYPES = new Set(['file_share', 'thread_broadcast'])

function kindOf(event: JsonObject): 'mention' | 'direct' | undefined {
  if (event['bot_id'] !== undefined || event['app_id'] !== undefined) return undefined
  const { subtype } = event
  if (subtype !== undefined && !(typeof subtype === 'string' && PERSON_SUBTYPES.has(subtype)))
    return undefined
  if (event['type'] === 'app_mention') return 'mention'
  return event['type'] === 'message' && event['channel_type'] === 'im' ? 'direct' : undefined
}

function commandRequest(body: JsonObject): SlackRequest | undefined {
  const [team, channel, user, trigger] = ['team_id', 'channel_id', 'user_id', 'trigger_id'].map((key) =>
    textOf(body, key),
  )
  if (team === undefined || channel === undefined || user === undefined || trigger === undefined)
    return undefined
  const text = wordsOf(textOf(body, 'text') ?? '')
  return isAppCommand(text)
    ? undefined
    : { id: `command-${trigger}`, kind: 'command', team, channel, user, text }
}

/** Returns true if the app answers the command itself. */
export function isAppCommand(text: string): boolean {
  return ['', 'help', 'agents', 'usage'].includes(text.trim().toLowerCase())
}

/** Removes the leading mention, which is usually the app. Other mentions stay. */
function wordsOf(text: string): string {
  return unescapeSlack(text.replace(/^\s*<@[A-Z0-9]+(?:\|[^>]*)?>[\s:,]*/u, '')).trim()
}

function textOf(body: JsonObject, key: string): string | undefined {
  const value = body[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns the channel that a person has open, from the context of an event; `undefined` if it names none. */
export function viewedChannel(context: Json | undefined): string | undefined {
  if (!isJsonObject(context) || !Array.isArray(context['entities'])) return undefined
  for (const entity of context['entities'] as readonly Json[]) {
    const channel = isJsonObject(entity) ? channelOf(entity['value']) : undefined
    if (channel !== undefined) return channel
  }
  return undefined
}

/** Returns a channel id, given directly or as the channel of a message. */
function channelOf(value: Json | undefined): string | undefined {
  const id = isJsonObject(value) ? value['channel_id'] : value
  return typeof id === 'string' && /^[CG][A-Z0-9]+$/u.test(id) ? id : undefined
}
