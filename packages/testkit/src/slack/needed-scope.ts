import { getOwn, type JsonObject } from '@troupe/schema'
import { textOf } from './method-call.ts'

/** Scopes by method, one of which is required. Methods not listed require none. */
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
/** Scope suffix of methods whose scope depends on the kind of channel. */
const BY_CHANNEL: Readonly<Record<string, string>> = {
  'conversations.history': 'history',
  'conversations.info': 'read',
  'conversations.replies': 'history',
}

/** Returns the scopes of which a call requires one. */
export function neededScopes(method: string, args: JsonObject): readonly string[] {
  const right = getOwn(BY_CHANNEL, method)
  if (right === undefined) return getOwn(SCOPES, method) ?? []
  const [kind = ''] = textOf(args, 'channel') ?? ''
  return [`${getOwn({ D: 'im', G: 'groups' }, kind) ?? 'channels'}:${right}`]
}

/** Returns the name of an event in a manifest, and the scope that an app needs to receive it. */
export function eventRequirements(event: JsonObject): { readonly name: string; readonly scope?: string } {
  const type = textOf(event, 'type') ?? ''
  if (type === 'app_mention') return { name: type, scope: 'app_mentions:read' }
  if (type !== 'message') return { name: type }
  const kind = textOf(event, 'channel_type') ?? ''
  const plural = getOwn({ channel: 'channels', group: 'groups' }, kind) ?? kind
  return { name: `message.${plural}`, scope: `${plural}:history` }
}
