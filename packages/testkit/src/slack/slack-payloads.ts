import type { JsonObject } from '@troupe/schema'

/** A message written by a user. */
export interface WrittenMessage {
  readonly team: string
  readonly channel: string
  readonly user: string
  readonly text: string
  readonly eventId: string
  readonly ts: string
  /** Thread of the message; `undefined` if it starts a thread. */
  readonly threadTs?: string
}

/** Creates the event for a message that mentions the app. */
export function mentionPayload(message: WrittenMessage): JsonObject {
  return eventPayload(message, { type: 'app_mention' })
}

/**
 * Creates the event for a message without a mention: a direct message or one in the app's thread. `more`
 * turns it into a bot message or an edit.
 */
export function messagePayload(message: WrittenMessage, more: JsonObject = {}): JsonObject {
  const direct = message.channel.startsWith('D')
  return eventPayload(message, { type: 'message', channel_type: direct ? 'im' : 'channel', ...more })
}

function eventPayload(
  { team, channel, user, text, eventId, ts, threadTs }: WrittenMessage,
  more: JsonObject,
): JsonObject {
  return {
    type: 'event_callback',
    team_id: team,
    api_app_id: 'A0FAKE',
    event_id: eventId,
    event_time: Math.floor(Number(ts)),
    event: {
      user,
      text,
      ts,
      channel,
      team,
      ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
      ...more,
    },
  }
}

/**
 * Creates the event for opening a conversation (`app_home_opened`) or another channel next to it
 * (`app_context_changed`).
 */
export function viewPayload(event: {
  readonly type: 'app_home_opened' | 'app_context_changed'
  readonly team: string
  readonly channel: string
  readonly user: string
  readonly eventId: string
  /** Channel that is open next to the conversation. */
  readonly viewing?: string
  readonly tab?: 'home' | 'messages'
}): JsonObject {
  const { type, team, channel, user, eventId, viewing, tab } = event
  const entities = viewing === undefined ? [] : [{ type: 'slack#/types/channel_id', value: viewing }]
  return {
    type: 'event_callback',
    team_id: team,
    api_app_id: 'A0FAKE',
    event_id: eventId,
    event_time: 1_780_000_000,
    event: {
      type,
      channel,
      user,
      ...(tab === undefined ? {} : { tab }),
      context: entities.length === 0 ? {} : { entities },
      event_ts: '1780000000.000001',
    },
  }
}

/** Creates the payload of a slash command. */
export function commandPayload(command: {
  readonly team: string
  readonly channel: string
  readonly user: string
  readonly command: string
  readonly text: string
  readonly triggerId: string
  readonly responseUrl: string
}): JsonObject {
  return {
    command: command.command,
    text: command.text,
    team_id: command.team,
    channel_id: command.channel,
    user_id: command.user,
    trigger_id: command.triggerId,
    response_url: command.responseUrl,
    api_app_id: 'A0FAKE',
  }
}

/** Creates the payload of a click on a message button, or on one of two feedback buttons. */
export function clickPayload(click: {
  readonly team: string
  readonly channel: string
  readonly user: string
  readonly actionId: string
  readonly value: string
  readonly triggerId: string
  readonly responseUrl: string
  readonly ts: string
  readonly threadTs?: string
  /** Default: `button`. */
  readonly type?: 'button' | 'feedback_buttons'
}): JsonObject {
  const { type = 'button' } = click
  return {
    type: 'block_actions',
    team: { id: click.team },
    user: { id: click.user, team_id: click.team },
    channel: { id: click.channel },
    container: { type: 'message', message_ts: click.ts, channel_id: click.channel },
    message: { ts: click.ts, ...(click.threadTs === undefined ? {} : { thread_ts: click.threadTs }) },
    trigger_id: click.triggerId,
    response_url: click.responseUrl,
    api_app_id: 'A0FAKE',
    actions: [{ type, action_id: click.actionId, value: click.value, block_id: 'b', action_ts: click.ts }],
  }
}
