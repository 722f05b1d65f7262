import type { Workspace } from '../app/workspaces.ts'
import { runIdOf, type SlackRequest } from '../intake/slack-request.ts'
import type { KeptRequest } from '../state/slack-state.ts'
import { changedRows, closeRows, NO_ROWS, reduceRows } from '../view/child-rows.ts'
import { hideChunks } from '../view/hide-chunks.ts'
import { findLeftovers } from './find-leftovers.ts'
import { isStreamOver, platformError } from './platform-error.ts'
import type { SlackDesk } from './slack-desk.ts'

/** Context for recovering a request of an earlier process. */
interface Recovery {
  readonly desk: SlackDesk
  readonly workspace: Workspace
  /** The text that closes an interrupted message. */
  readonly ending: string
}

/** Closes the messages that an earlier process left open. Returns true if the request was answered. */
export async function wasAnswered(kept: KeptRequest, recovery: Recovery): Promise<boolean> {
  const { desk, workspace } = recovery
  const { request, place } = kept
  const left = await findLeftovers(kept, { desk, workspace })
  for (const ts of left.controls) await removeMessage(ts, request, recovery)
  for (const ts of left.questions) await closeQuestion(ts, request, recovery)
  let isAnswered = left.isAnswered
  for (const ts of left.streams) {
    const wasOpen = await closeStream(ts, request, recovery)
    // The answer was complete before the process ended, but that was not stored.
    if (!wasOpen && ts === place.answerTs && place.ending === true) isAnswered = true
  }
  return isAnswered
}

/** Returns false if Slack had already ended the message. */
async function closeStream(
  ts: string,
  request: SlackRequest,
  { desk, workspace: { client }, ending }: Recovery,
): Promise<boolean> {
  try {
    const rows = await rowsThatWereOpen(request, desk)
    const chunks = hideChunks([...rows, { type: 'markdown_text', text: `\n\n${ending}` }], desk.hide)
    await client.chat.stopStream({ channel: request.channel, ts, chunks })
    return true
  } catch (thrown) {
    if (!isStreamOver(thrown)) desk.onError(thrown)
    return !isStreamOver(thrown)
  }
}

async function removeMessage(
  ts: string,
  { channel }: SlackRequest,
  { desk, workspace }: Recovery,
): Promise<void> {
  await workspace.client.chat.delete({ channel, ts }).catch(ignoreGone(desk))
}

async function closeQuestion(
  ts: string,
  { channel }: SlackRequest,
  { desk, workspace }: Recovery,
): Promise<void> {
  const text = 'This question was interrupted.'
  const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: `:hourglass: ${text}` } }]
  await workspace.client.chat.update({ channel, ts, text, blocks }).catch(ignoreGone(desk))
}

/** Returns the rows of the interrupted message, all closed. */
async function rowsThatWereOpen(
  request: SlackRequest,
  { store }: SlackDesk,
): Promise<ReturnType<typeof changedRows>> {
  const events = await store.events(runIdOf(request))
  return changedRows(NO_ROWS, closeRows(events.reduce(reduceRows, NO_ROWS), 'Interrupted.'))
}

function ignoreGone({ onError }: SlackDesk): (thrown: unknown) => void {
  return (thrown) => {
    if (platformError(thrown) !== 'message_not_found') onError(thrown)
  }
}
