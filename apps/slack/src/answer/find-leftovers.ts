import { isJsonObject, type JsonObject } from '@troupe/schema'
import type { Workspace } from '../app/workspaces.ts'
import { ACTION } from '../controls/action-ids.ts'
import { readButtonValue } from '../controls/button-value.ts'
import { threadOf } from '../intake/slack-request.ts'
import type { StoredSlackRequest } from '../state/slack-state.ts'
import { platformError } from './platform-error.ts'
import { toJson } from './to-json.ts'
import type { SlackContext } from './slack-context.ts'

/** Timestamps of the messages that an earlier process left in the thread of a request, oldest first. */
export interface Leftovers {
  /** Messages that may still be streaming. */
  readonly streams: readonly string[]
  /** Messages with the Stop button. */
  readonly controls: readonly string[]
  /** Messages that ask for an approval. */
  readonly questions: readonly string[]
  /** True if the complete answer is in the thread. */
  readonly isAnswered: boolean
}

/**
 * Searches the thread for messages that a killed process posted but did not store. If the app may not read
 * the thread (`channels:history`), only the stored messages are returned.
 */
export async function findLeftovers(
  storedRequest: StoredSlackRequest,
  { context, workspace }: { readonly context: SlackContext; readonly workspace: Workspace },
): Promise<Leftovers> {
  const { request, progress } = storedRequest
  const { answerTs, controlsTs, questions = {} } = progress
  const own = await ownMessages(storedRequest, { context, workspace })
  const withButton = (actionId: string): readonly string[] =>
    own.filter((message) => hasButton(message, { actionId, id: request.id })).map(timeOf)
  const open = own.filter(({ streaming_state: state }) => state !== undefined && state !== 'completed')
  return {
    streams: distinct([answerTs, ...open.map(timeOf)]),
    controls: distinct([controlsTs, ...withButton(ACTION.stop)]),
    questions: distinct([...Object.values(questions), ...withButton(ACTION.approve)]),
    isAnswered: withButton(ACTION.retry).length > 0,
  }
}

/**
 * Returns the messages of the app in the thread. A thread is answered one request at a time, so an open
 * message belongs to this request.
 */
async function ownMessages(
  { request, progress }: StoredSlackRequest,
  { context, workspace }: { readonly context: SlackContext; readonly workspace: Workspace },
): Promise<readonly JsonObject[]> {
  const threadTs = threadOf(request, progress)
  if (progress.begun !== true || threadTs === undefined) return []
  try {
    const { client, botUser, botId } = workspace
    const { messages = [] } = await client.conversations.replies({
      channel: request.channel,
      ts: threadTs,
      limit: MAX_MESSAGES,
    })
    return toJson(messages).filter((message) => message['user'] === botUser || message['bot_id'] === botId)
  } catch (thrown) {
    if (platformError(thrown) !== 'missing_scope') context.onError(thrown)
    return []
  }
}

const MAX_MESSAGES = 1000

function hasButton(
  { blocks }: JsonObject,
  { actionId, id }: { readonly actionId: string; readonly id: string },
): boolean {
  if (!Array.isArray(blocks)) return false
  const elements = (blocks as readonly JsonObject[]).flatMap(({ elements: list }) =>
    Array.isArray(list) ? (list as readonly JsonObject[]) : [],
  )
  return elements.some((element) => {
    if (!isJsonObject(element) || element['action_id'] !== actionId) return false
    const { value } = element
    return readButtonValue(typeof value === 'string' ? value : undefined)?.id === id
  })
}

function timeOf({ ts }: JsonObject): string {
  return typeof ts === 'string' ? ts : ''
}

function distinct(times: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(times)].filter((time) => time !== undefined && time !== '') as readonly string[]
}
