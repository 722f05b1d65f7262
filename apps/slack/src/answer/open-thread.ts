import { isJsonObject, type JsonObject } from '@troupe/schema'
import type { Workspace } from '../app/workspaces.ts'
import type { SlackRequest } from '../intake/slack-request.ts'
import { oneLine } from '../view/cut-text.ts'
import { escapeSlack } from '../view/escape-slack.ts'
import { platformError } from './platform-error.ts'
import { toJson } from './to-json.ts'
import type { SlackDesk } from './slack-desk.ts'

interface ThreadPlace {
  readonly desk: SlackDesk
  readonly workspace: Workspace
}

/** Metadata type of the message that opens a thread, to find it again. */
const EVENT_TYPE = 'troupe_request'
const LOOKED_THROUGH = 100

/**
 * Opens a thread for a command with a message that shows the question to everyone. Returns the timestamp of
 * the message.
 */
export async function openThread(request: SlackRequest, { desk, workspace }: ThreadPlace): Promise<string> {
  const { channel, user, text, id } = request
  const asked = `<@${user}> asked: ${escapeSlack(oneLine(desk.hide(text), 1000), { atLineStart: false })}`
  desk.state.note(request, { begun: true })
  const { ts = '' } = await workspace.client.chat.postMessage({
    channel,
    text: asked,
    metadata: { event_type: EVENT_TYPE, event_payload: { id } },
  })
  desk.state.note(request, { rootTs: ts })
  return ts
}

/**
 * Finds the message that opened a thread but was not stored. Returns `undefined` if there is none, or if the
 * app may not read the channel.
 */
export async function findThread(
  request: SlackRequest,
  { desk, workspace }: ThreadPlace,
): Promise<string | undefined> {
  try {
    const { messages = [] } = await workspace.client.conversations.history({
      channel: request.channel,
      limit: LOOKED_THROUGH,
      include_all_metadata: true,
    })
    const root = toJson(messages).find((message) => isAbout(message, request))
    if (typeof root?.['ts'] !== 'string') return undefined
    desk.state.note(request, { rootTs: root['ts'] })
    return root['ts']
  } catch (thrown) {
    if (platformError(thrown) !== 'missing_scope') desk.onError(thrown)
    return undefined
  }
}

function isAbout({ metadata }: JsonObject, { id }: SlackRequest): boolean {
  if (!isJsonObject(metadata) || metadata['event_type'] !== EVENT_TYPE) return false
  const { event_payload: payload } = metadata
  return isJsonObject(payload) && payload['id'] === id
}
