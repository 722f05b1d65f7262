import type { Workspace } from '../app/workspaces.ts'
import type { SlackRequest } from '../intake/slack-request.ts'
import { isDirectChannel } from '../routing/route-channel.ts'
import { escapeSlack } from '../view/escape-slack.ts'
import type { SlackDesk } from './slack-desk.ts'

/** Sends a message that only the given person can see. */
export async function tellPerson(
  { channel, user, threadTs }: Pick<SlackRequest, 'channel' | 'user' | 'threadTs'>,
  {
    desk,
    workspace,
    text,
  }: { readonly desk: SlackDesk; readonly workspace: Workspace; readonly text: string },
): Promise<void> {
  const said = escapeSlack(desk.hide(text))
  const thread = threadTs === undefined ? {} : { thread_ts: threadTs }
  if (isDirectChannel(channel)) await workspace.client.chat.postMessage({ channel, text: said, ...thread })
  else await workspace.client.chat.postEphemeral({ channel, user, text: said, ...thread })
}
