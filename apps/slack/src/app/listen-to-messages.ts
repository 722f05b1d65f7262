import type { App } from '@slack/bolt'
import type { JsonObject } from '@troupe/schema'
import type { SlackContext } from '../answer/slack-context.ts'
import { isAppCommand, toRequest } from '../intake/to-request.ts'
import { commandAnswer } from './command-answer.ts'
import type { Intake } from './create-intake.ts'

/**
 * Handles mentions, direct messages and the slash command. `journalReceiver` has already stored the requests.
 */
export function listenToMessages(
  app: App,
  { context, intake }: { readonly context: SlackContext; readonly intake: Intake },
): void {
  const take = async ({ body }: { readonly body: unknown }): Promise<void> => {
    const request = toRequest(body as JsonObject)
    if (request !== undefined) intake.answer({ request, progress: {} })
  }
  app.event('app_mention', take)
  app.event('message', take)
  app.command(/^\//u, async ({ ack, body, command }) => {
    const { text, team_id: team, user_id: user, channel_id: channel } = command
    if (!isAppCommand(text)) {
      await ack()
      return take({ body })
    }
    const subcommand = text.trim().toLowerCase()
    await ack({
      response_type: 'ephemeral',
      text: commandAnswer({ command: command.command, subcommand, team, user, channel }, context),
    })
  })
}
