import type { App } from '@slack/bolt'
import type { Json, JsonObject } from '@troupe/schema'
import { promptsFor } from '../agent-view/prompts-for.ts'
import type { ViewedChannels } from '../agent-view/viewed-channels.ts'
import type { SlackDesk } from '../answer/slack-desk.ts'

/** Handles people opening a conversation, and switching channels beside it. */
export function listenToViews(
  app: App,
  { desk, viewed }: { readonly desk: SlackDesk; readonly viewed: ViewedChannels },
): void {
  app.event('app_home_opened', async ({ event, body }) => {
    if (event.tab !== 'messages') return
    const { user, channel, context } = event
    viewed.note({ team: body.team_id, user }, toJson(context))
    const workspace = desk.workspaces.get(body.team_id)
    if (workspace !== undefined) await desk.view.suggest({ workspace, channel }, promptsFor(channel, desk))
  })
  app.event('app_context_changed', async ({ event, body }) => {
    viewed.note({ team: body.team_id, user: event.user }, toJson(event.context))
  })
}

function toJson(context: object | undefined): Json | undefined {
  return context as JsonObject | undefined
}
