import type { App } from '@slack/bolt'
import type { JsonObject } from '@troupe/schema'
import type { SlackContext } from '../context/slack-context.ts'
import { isAppCommand, toRequest } from '../intake/to-request.ts'
import type { Intake } from './create-intake.ts'
import { subjectsOf } from '../answer/admit-request.ts'
import { DAY_MS } from '../config/allowance.ts'
import { escapeSlack } from '../view/slack-text.ts'

/** A slash command that the app answers itself. */
interface SlackCommand {
  readonly command: string
  /** The text of the command in lower case, such as `agents`. */
  readonly subcommand: string
  readonly team: string
  readonly user: string
  readonly channel: string
}

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

/** Returns the app's own reply to `/troupe help`, `agents` and `usage`. Only the caller sees it. */
function commandAnswer(
  { subcommand, command, team, user, channel }: SlackCommand,
  context: SlackContext,
): string {
  if (subcommand === 'agents') return agentsText(context)
  if (subcommand === 'usage') return usageText({ team, user, channel }, context)
  return [
    `\`${command} <question>\` asks a question. The answer is posted in a thread that everyone can see.`,
    `\`${command} agents\` lists the agents, \`${command} usage\` shows your usage.`,
    'You can also mention me, or send me a direct message. In a thread I remember the messages addressed to me.',
  ].join('\n')
}

function agentsText({ host }: SlackContext): string {
  const lines = host
    .agents()
    .map(({ name, description }) => `• *${escape(name)}* ${escape(description ?? '')}`)
  return lines.length === 0 ? 'There are no agents.' : lines.join('\n').slice(0, 3000)
}

function usageText(
  caller: Pick<SlackCommand, 'team' | 'user' | 'channel'>,
  { state, clock, config }: SlackContext,
): string {
  const { user } = subjectsOf({ ...caller, id: '', kind: 'command', text: '' })
  if (Object.keys(config.limits.user).length === 0) return 'You have no usage limits.'
  const { requests, tokens, micros } = state.usageSince(user, clock.now() - DAY_MS)
  return `In the last 24 hours: ${requests} questions, ${tokens} tokens, $${(micros / 1_000_000).toFixed(4)}.`
}

function escape(text: string): string {
  return escapeSlack(text, { atLineStart: false })
}
