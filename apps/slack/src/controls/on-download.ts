import type { SlackContext } from '../answer/slack-context.ts'
import { sendPrivately } from '../answer/send-privately.ts'
import { runIdOf } from '../intake/slack-request.ts'
import type { Click } from './click.ts'

/** Uploads the report of the run to the thread as a file, in the format of `--json`. */
export async function onDownload(click: Click, context: SlackContext): Promise<void> {
  const { storedRequest, user, threadTs, workspace } = click
  const { request } = storedRequest
  if (context.open.find(request) !== undefined)
    return sendPrivately(
      { channel: request.channel, user, threadTs },
      { context, workspace, text: 'It is not over yet.' },
    )
  const report = await context.host.resume(runIdOf(request))
  await workspace.client.files.uploadV2({
    channel_id: request.channel,
    thread_ts: threadTs,
    filename: `${runIdOf(request)}.json`,
    content: context.hide(`${JSON.stringify(report, null, 2)}\n`),
  })
}
