import type { Workspace } from '../app/workspaces.ts'
import { runIdOf, type SlackRequest } from '../intake/slack-request.ts'
import type { StoredSlackRequest } from '../state/slack-state.ts'
import { changedRows, closeRows, NO_ROWS, reduceRows } from '../view/child-rows.ts'
import { hideChunks } from '../view/hide-chunks.ts'
import { findLeftovers } from './find-leftovers.ts'
import { isStreamOver, platformError } from './platform-error.ts'
import type { SlackContext } from './slack-context.ts'

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
