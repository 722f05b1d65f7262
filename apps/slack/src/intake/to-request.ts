import { isJsonObject, type JsonObject, type Json } from '@troupe/schema'
import { sharedFiles, type SlackRequest } from './slack-request.ts'
import { unescapeSlack } from '../view/slack-text.ts'

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
