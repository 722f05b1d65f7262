import type { SlackDesk } from '../answer/slack-desk.ts'
import { tellPerson } from '../answer/tell-person.ts'
import { runIdOf } from '../intake/slack-request.ts'
import type { Click } from './click.ts'

/** Uploads the report of the run to the thread as a file, in the format of `--json`. */
export async function onDownload(click: Click, desk: SlackDesk): Promise<void> {
  const { kept, user, threadTs, workspace } = click
  const { request } = kept
  if (desk.open.find(request) !== undefined)
    return tellPerson(
      { channel: request.channel, user, threadTs },
      { desk, workspace, text: 'It is not over yet.' },
    )
  const report = await desk.host.resume(runIdOf(request))
  await workspace.client.files.uploadV2({
    channel_id: request.channel,
    thread_ts: threadTs,
    filename: `${runIdOf(request)}.json`,
    content: desk.hide(`${JSON.stringify(report, null, 2)}\n`),
  })
}
