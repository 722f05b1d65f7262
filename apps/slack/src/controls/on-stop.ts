import type { SlackContext } from '../answer/slack-context.ts'
import { sendPrivately } from '../answer/send-privately.ts'
import type { Click } from './click.ts'

/** Stops the run. The partial answer stays. */
export async function onStop(
  { storedRequest: { request }, user, threadTs, workspace }: Click,
  context: SlackContext,
): Promise<void> {
  const open = context.open.find(request)
  open?.stop()
  if (open === undefined)
    await sendPrivately(
      { channel: request.channel, user, threadTs },
      { context, workspace, text: 'It is over already.' },
    )
}
