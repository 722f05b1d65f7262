import type { Workspace } from '../app/workspaces.ts'
import type { SlackRequest } from '../intake/slack-request.ts'
import { isDirectChannel } from '../routing/route-channel.ts'
import { escapeSlack } from '../view/escape-slack.ts'
import type { SlackContext } from './slack-context.ts'

/** Sends a message that only the given person can see. */
export async function sendPrivately(
  { channel, user, threadTs }: Pick<SlackRequest, 'channel' | 'user' | 'threadTs'>,
  {
    context,
    workspace,
    text,
  }: { readonly context: SlackContext; readonly workspace: Workspace; readonly text: string },
): Promise<void> {
  const message = escapeSlack(context.hide(text))
  const thread = threadTs === undefined ? {} : { thread_ts: threadTs }
  if (isDirectChannel(channel)) await workspace.client.chat.postMessage({ channel, text: message, ...thread })
  else await workspace.client.chat.postEphemeral({ channel, user, text: message, ...thread })
}
