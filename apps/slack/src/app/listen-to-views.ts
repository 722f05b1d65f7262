import type { App } from '@slack/bolt'
import type { Json, JsonObject } from '@troupe/schema'
import type { ViewedChannels } from '../context/agent-view.ts'
import type { SlackContext } from '../context/slack-context.ts'
import { routeChannel } from '../config/route-channel.ts'
import { oneLine } from '../view/slack-text.ts'
import type { SuggestedPrompt } from '../config/slack-config.ts'

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
