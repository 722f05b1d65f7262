import type { Workspace } from '../app/workspaces.ts'
import { runIdOf, type SlackRequest } from '../intake/slack-request.ts'
import type { KeptRequest } from '../state/slack-state.ts'
import { changedRows, closeRows, NO_ROWS, reduceRows } from '../view/child-rows.ts'
import { platformError } from './platform-error.ts'
import type { SlackDesk } from './slack-desk.ts'

/** Looks whether a request of an earlier process has its answer, and closes the message that was cut off where it has none. */
export async function wasAnswered(
  { request, place: { answerTs, controlsTs } }: KeptRequest,
  { desk, workspace: { client } }: { readonly desk: SlackDesk; readonly workspace: Workspace },
): Promise<boolean> {
  const { channel } = request
  if (controlsTs !== undefined) await client.chat.delete({ channel, ts: controlsTs }).catch(ignoreGone(desk))
  if (answerTs === undefined) return false
  try {
    const rows = await rowsThatWereOpen(request, desk)
    await client.chat.stopStream({
      channel,
      ts: answerTs,
      chunks: [...rows, { type: 'markdown_text', text: INTERRUPTED }],
    })
    return false
  } catch (thrown) {
    // it ended before the process did, and only that was not noted any more
    if (platformError(thrown) === 'message_not_in_streaming_state') return true
    desk.onError(thrown)
    return false
  }
}

const INTERRUPTED = '\n\n_This was interrupted. The answer follows below._'

/** The rows of the message as they were, none of them open any more. */
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
