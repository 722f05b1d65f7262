import type { App } from '@slack/bolt'
import type { JsonObject, Json } from '@troupe/schema'
import type { SlackContext } from '../context/slack-context.ts'
import { isAppCommand, toRequest } from '../intake/slack-request.ts'
import { subjectsOf } from '../answer/admit-request.ts'
import { DAY_MS } from '../config/allowance.ts'
import { escapeSlack, oneLine } from '../view/slack-text.ts'
import type { ViewedChannels } from '../context/agent-view.ts'
import { routeChannel, type SuggestedPrompt } from '../config/slack-config.ts'
import type { Intake } from './create-intake.ts'

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

/** Handles people opening a conversation, and switching channels beside it. */
export function listenToViews(
  app: App,
  { context, viewed }: { readonly context: SlackContext; readonly viewed: ViewedChannels },
): void {
  app.event('app_home_opened', async ({ event, body }) => {
    if (event.tab !== 'messages') return
    const { user, channel, context: viewContext } = event
    viewed.note({ team: body.team_id, user }, toJson(viewContext))
    const workspace = context.workspaces.get(body.team_id)
    if (workspace !== undefined)
      await context.view.suggest({ workspace, channel }, promptsFor(channel, context))
  })
  app.event('app_context_changed', async ({ event, body }) => {
    viewed.note({ team: body.team_id, user: event.user }, toJson(event.context))
  })
}

function toJson(viewContext: object | undefined): Json | undefined {
  return viewContext as JsonObject | undefined
}

const TITLE = 60

/**
 * Returns the suggested prompts of a direct conversation: `prompts` of the configuration, or the example
 * input (`usage`) of its agent.
 */
function promptsFor(
  channel: string,
  { config, host }: Pick<SlackContext, 'config' | 'host'>,
): readonly SuggestedPrompt[] {
  const route = routeChannel(config.channels, { id: channel, name: '', isDirect: true })
  if (!route.allowed) return []
  if (config.prompts !== undefined) return config.prompts
  const known = host.agents().map(({ name }) => name)
  if (known.length === 0 || (route.agent !== undefined && !known.includes(route.agent))) return []
  const { usage } = host.definition(route.agent)
  return usage === undefined || usage.trim() === '' ? [] : [{ title: oneLine(usage, TITLE), message: usage }]
}
