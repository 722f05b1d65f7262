import type { Workspace } from '../app/workspaces.ts'
import type { SlackRequest } from '../intake/slack-request.ts'
import { oneLine } from '../view/cut-text.ts'
import { escapeSlack } from '../view/escape-slack.ts'
import type { SlackDesk } from './slack-desk.ts'

/** Begins a thread for a command: others see who asked what. Gives its id. */
export async function openThread(
  request: SlackRequest,
  { desk, workspace }: { readonly desk: SlackDesk; readonly workspace: Workspace },
): Promise<string> {
  const { channel, user, text } = request
  const asked = `<@${user}> asked: ${escapeSlack(oneLine(desk.hide(text), 1000), { atLineStart: false })}`
  const { ts = '' } = await workspace.client.chat.postMessage({ channel, text: asked })
  desk.state.note(request, { rootTs: ts })
  return ts
}
