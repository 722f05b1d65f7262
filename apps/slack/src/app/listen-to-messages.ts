import type { App } from '@slack/bolt'
import type { JsonObject } from '@troupe/schema'
import type { SlackDesk } from '../answer/slack-desk.ts'
import { isWordOfApp, toRequest } from '../intake/to-request.ts'
import { commandAnswer } from './command-answer.ts'
import type { Intake } from './create-intake.ts'

/**
 * Handles mentions, direct messages and the slash command. `journalReceiver` has already stored the requests.
 */
export function listenToMessages(
  app: App,
  { desk, intake }: { readonly desk: SlackDesk; readonly intake: Intake },
): void {
  const take = async ({ body }: { readonly body: unknown }): Promise<void> => {
    const request = toRequest(body as JsonObject)
    if (request !== undefined) intake.answer({ request, place: {} })
  }
  app.event('app_mention', take)
  app.event('message', take)
  app.command(/^\//u, async ({ ack, body, command }) => {
    const { text, team_id: team, user_id: user, channel_id: channel } = command
    if (!isWordOfApp(text)) {
      await ack()
      return take({ body })
    }
    const word = text.trim().toLowerCase()
    await ack({
      response_type: 'ephemeral',
      text: commandAnswer({ command: command.command, word, team, user, channel }, desk),
    })
  })
}
