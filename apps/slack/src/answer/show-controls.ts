import type { Workspace } from '../app/workspaces.ts'
import type { SlackRequest } from '../intake/slack-request.ts'
import { workingBlocks } from '../view/control-blocks.ts'
import type { SlackContext } from './slack-context.ts'

/**
 * Posts the message with the buttons of a running answer. Returns a function that deletes it. Errors go to
 * `onError`, as the answer does not depend on it.
 */
export async function showControls(
  {
    request,
    threadTs,
    context,
    workspace: { client },
  }: {
    readonly request: SlackRequest
    readonly threadTs: string
    readonly context: SlackContext
    readonly workspace: Workspace
  },
  agent: string,
): Promise<() => Promise<void>> {
  const { channel, id } = request
  try {
    context.state.note(request, { begun: true })
    const { ts } = await client.chat.postMessage({
      channel,
      thread_ts: threadTs,
      text: `${agent} is at work`,
      blocks: [...workingBlocks(agent, id)],
    })
    if (ts === undefined) return nothing
    context.state.note(request, { controlsTs: ts })
    return async () => void (await client.chat.delete({ channel, ts }).catch(context.onError))
  } catch (thrown) {
    context.onError(thrown)
    return nothing
  }
}

async function nothing(): Promise<void> {
  // No message was posted.
}
