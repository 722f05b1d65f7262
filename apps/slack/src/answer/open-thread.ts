import { isJsonObject, type JsonObject } from '@troupe/schema'
import type { Workspace } from '../context/workspaces.ts'
import type { SlackRequest } from '../intake/slack-request.ts'
import { oneLine, escapeSlack } from '../view/slack-text.ts'
import { platformError, toJson } from '../context/slack-api.ts'
import type { SlackContext } from '../context/slack-context.ts'

interface SlackThreadContext {
  readonly context: SlackContext
  readonly workspace: Workspace
}

/** Metadata type of the message that opens a thread, to find it again. */
const EVENT_TYPE = 'troupe_request'
const SEARCH_LIMIT = 100

/**
 * Opens a thread for a command with a message that shows the question to everyone. Returns the timestamp of
 * the message.
 */
export async function openThread(
  request: SlackRequest,
  { context, workspace }: SlackThreadContext,
): Promise<string> {
  const { channel, user, text, id } = request
  const question = `<@${user}> asked: ${escapeSlack(oneLine(context.hide(text), 1000), { atLineStart: false })}`
  context.state.note(request, { begun: true })
  const { ts = '' } = await workspace.client.chat.postMessage({
    channel,
    text: question,
    metadata: { event_type: EVENT_TYPE, event_payload: { id } },
  })
  context.state.note(request, { rootTs: ts })
  return ts
}

/**
 * Finds the message that opened a thread but was not stored. Returns `undefined` if there is none, or if the
 * app may not read the channel.
 */
export async function findThread(
  request: SlackRequest,
  { context, workspace }: SlackThreadContext,
): Promise<string | undefined> {
  try {
    const { messages = [] } = await workspace.client.conversations.history({
      channel: request.channel,
      limit: SEARCH_LIMIT,
      include_all_metadata: true,
    })
    const root = toJson(messages).find((message) => isAbout(message, request))
    if (typeof root?.['ts'] !== 'string') return undefined
    context.state.note(request, { rootTs: root['ts'] })
    return root['ts']
  } catch (thrown) {
    if (platformError(thrown) !== 'missing_scope') context.onError(thrown)
    return undefined
  }
}

function isAbout({ metadata }: JsonObject, { id }: SlackRequest): boolean {
  if (!isJsonObject(metadata) || metadata['event_type'] !== EVENT_TYPE) return false
  const { event_payload: payload } = metadata
  return isJsonObject(payload) && payload['id'] === id
}
