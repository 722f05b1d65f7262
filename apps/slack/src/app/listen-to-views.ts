import type { App } from '@slack/bolt'
import type { Json, JsonObject } from '@troupe/schema'
import { promptsFor } from '../agent-view/prompts-for.ts'
import type { ViewedChannels } from '../agent-view/viewed-channels.ts'
import type { SlackContext } from '../answer/slack-context.ts'

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
