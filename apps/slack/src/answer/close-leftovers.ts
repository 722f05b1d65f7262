import { isJsonObject, type JsonObject } from '@troupe/schema'
import type { Workspace } from '../context/workspaces.ts'
import { runIdOf, threadOf, type SlackRequest } from '../intake/slack-request.ts'
import type { StoredSlackRequest } from '../state/slack-state.ts'
import { changedRows, closeRows, NO_ROWS, reduceRows } from '../view/child-rows.ts'
import { hideChunks } from '../view/hide-chunks.ts'
import { isStreamOver, platformError, toJson } from '../context/slack-api.ts'
import type { SlackContext } from '../context/slack-context.ts'
import { ACTION, readButtonValue } from '../view/control-blocks.ts'

/** Context for recovering a request of an earlier process. */
interface Recovery {
  readonly context: SlackContext
  readonly workspace: Workspace
  /** The text that closes an interrupted message. */
  readonly ending: string
}

/** Closes the messages that an earlier process left open. Returns true if the request was answered. */
export async function closeLeftovers(
  storedRequest: StoredSlackRequest,
  recovery: Recovery,
): Promise<boolean> {
  const { context, workspace } = recovery
  const { request, progress } = storedRequest
  const leftovers = await findLeftovers(storedRequest, { context, workspace })
  for (const ts of leftovers.controls) await removeMessage(ts, request, recovery)
  for (const ts of leftovers.questions) await closeQuestion(ts, request, recovery)
  let isAnswered = leftovers.isAnswered
  for (const ts of leftovers.streams) {
    const wasOpen = await closeStream(ts, request, recovery)
    // The answer was complete before the process ended, but that was not stored.
    if (!wasOpen && ts === progress.answerTs && progress.ending === true) isAnswered = true
  }
  return isAnswered
}

/** Returns false if Slack had already ended the message. */
async function closeStream(
  ts: string,
  request: SlackRequest,
  { context, workspace: { client }, ending }: Recovery,
): Promise<boolean> {
  try {
    const rows = await closedRows(request, context)
    const chunks = hideChunks([...rows, { type: 'markdown_text', text: `\n\n${ending}` }], context.hide)
    await client.chat.stopStream({ channel: request.channel, ts, chunks })
    return true
  } catch (thrown) {
    if (!isStreamOver(thrown)) context.onError(thrown)
    return !isStreamOver(thrown)
  }
}

async function removeMessage(
  ts: string,
  { channel }: SlackRequest,
  { context, workspace }: Recovery,
): Promise<void> {
  await workspace.client.chat.delete({ channel, ts }).catch(ignoreMissingMessage(context))
}

async function closeQuestion(
  ts: string,
  { channel }: SlackRequest,
  { context, workspace }: Recovery,
): Promise<void> {
  const text = 'This question was interrupted.'
  const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: `:hourglass: ${text}` } }]
  await workspace.client.chat.update({ channel, ts, text, blocks }).catch(ignoreMissingMessage(context))
}

/** Returns the rows of the interrupted message, all closed. */
async function closedRows(
  request: SlackRequest,
  { store }: SlackContext,
): Promise<ReturnType<typeof changedRows>> {
  const events = await store.events(runIdOf(request))
  return changedRows(NO_ROWS, closeRows(events.reduce(reduceRows, NO_ROWS), 'Interrupted.'))
}

function ignoreMissingMessage({ onError }: SlackContext): (thrown: unknown) => void {
  return (thrown) => {
    if (platformError(thrown) !== 'message_not_found') onError(thrown)
  }
}

/** Timestamps of the messages that an earlier process left in the thread of a request, oldest first. */
interface Leftovers {
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
async function findLeftovers(
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
