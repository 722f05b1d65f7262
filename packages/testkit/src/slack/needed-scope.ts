import { getOwn, type JsonObject } from '@troupe/schema'
import { textOf } from './method-call.ts'

/** One of these is enough; none: whoever has a token may. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  'assistant.threads.setStatus': ['chat:write', 'assistant:write'],
  'assistant.threads.setSuggestedPrompts': ['assistant:write'],
  'assistant.threads.setTitle': ['assistant:write'],
  'chat.appendStream': ['chat:write'],
  'chat.delete': ['chat:write'],
  'chat.postEphemeral': ['chat:write'],
  'chat.postMessage': ['chat:write'],
  'chat.startStream': ['chat:write'],
  'chat.stopStream': ['chat:write'],
  'chat.update': ['chat:write'],
  'files.completeUploadExternal': ['files:write'],
  'files.getUploadURLExternal': ['files:write'],
  'files.info': ['files:read'],
}
/** What is before the colon depends on the channel. */
const BY_CHANNEL: Readonly<Record<string, string>> = {
  'conversations.history': 'history',
  'conversations.info': 'read',
  'conversations.replies': 'history',
}

/** The scopes of which a call needs one. */
export function neededScopes(method: string, args: JsonObject): readonly string[] {
  const right = getOwn(BY_CHANNEL, method)
  if (right === undefined) return getOwn(SCOPES, method) ?? []
  const [kind = ''] = textOf(args, 'channel') ?? ''
  return [`${getOwn({ D: 'im', G: 'groups' }, kind) ?? 'channels'}:${right}`]
}

/** The scope without which an app is not told of an event, and its name in a manifest. */
export function eventNeeds(event: JsonObject): { readonly name: string; readonly scope?: string } {
  const type = textOf(event, 'type') ?? ''
  if (type === 'app_mention') return { name: type, scope: 'app_mentions:read' }
  if (type !== 'message') return { name: type }
  const kind = textOf(event, 'channel_type') ?? ''
  const plural = getOwn({ channel: 'channels', group: 'groups' }, kind) ?? kind
  return { name: `message.${plural}`, scope: `${plural}:history` }
}
