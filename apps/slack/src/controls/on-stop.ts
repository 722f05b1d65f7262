import type { SlackDesk } from '../answer/slack-desk.ts'
import { tellPerson } from '../answer/tell-person.ts'
import type { Click } from './click.ts'

/** Stops the run. The partial answer stays. */
export async function onStop(
  { kept: { request }, user, threadTs, workspace }: Click,
  desk: SlackDesk,
): Promise<void> {
  const open = desk.open.find(request)
  open?.stop()
  if (open === undefined)
    await tellPerson(
      { channel: request.channel, user, threadTs },
      { desk, workspace, text: 'It is over already.' },
    )
}
