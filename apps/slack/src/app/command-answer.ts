import type { SlackCommand } from './slack-command.ts'
import { subjectsOf } from '../answer/admit-request.ts'
import type { SlackContext } from '../answer/slack-context.ts'
import { DAY_MS } from '../budget/allowance.ts'
import { escapeSlack } from '../view/escape-slack.ts'

/** Returns the app's own reply to `/troupe help`, `agents` and `usage`. Only the caller sees it. */
export function commandAnswer(
  { subcommand, command, team, user, channel }: SlackCommand,
  context: SlackContext,
): string {
  if (subcommand === 'agents') return agentsText(context)
  if (subcommand === 'usage') return usageText({ team, user, channel }, context)
  return [
    `\`${command} <question>\` asks, and the answer comes in a thread for all.`,
    `\`${command} agents\` lists who can answer, \`${command} usage\` what you have used.`,
    'Name me in a message, or write to me directly. In a thread I know what was said to me there.',
  ].join('\n')
}

function agentsText({ host }: SlackContext): string {
  const lines = host
    .agents()
    .map(({ name, description }) => `• *${escape(name)}* ${escape(description ?? '')}`)
  return lines.length === 0 ? 'There is no agent.' : lines.join('\n').slice(0, 3000)
}

function usageText(
  caller: Pick<SlackCommand, 'team' | 'user' | 'channel'>,
  { state, clock, config }: SlackContext,
): string {
  const { user } = subjectsOf({ ...caller, id: '', kind: 'command', text: '' })
  if (Object.keys(config.limits.user).length === 0) return 'There are no limits for you here.'
  const { requests, tokens, micros } = state.usageSince(user, clock.now() - DAY_MS)
  return `In the last 24 hours: ${requests} questions, ${tokens} tokens, $${(micros / 1_000_000).toFixed(4)}.`
}

function escape(text: string): string {
  return escapeSlack(text, { atLineStart: false })
}
