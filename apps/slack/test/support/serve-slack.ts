import { createHost, type Host, type HostOptions } from '@troupe/host'
import { isJsonObject, type AgentDefinition, type JsonObject, type LanguageModel } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { createMemoryStore } from '@troupe/store'
import { SYSTEM_CLOCK } from '@troupe/testkit/teams'
import {
  ACME,
  buttonOf,
  clickPayload,
  commandPayload,
  mentionPayload,
  messagePayload,
  startFakeSlack,
  type FakeMessage,
  type FakeSlack,
  type FakeSlackOptions,
  type SocketAck,
  type WrittenMessage,
} from '@troupe/testkit/slack'
import { onTestFinished } from 'vitest'
import {
  createSlackApp,
  openSlackState,
  readSlackConfig,
  type SlackApp,
  type SlackAppOptions,
  type SlackState,
} from '../../src/index.ts'
import { MANIFEST } from '../../src/manifest.ts'

const { scopes: SCOPES } = MANIFEST.oauth_config

export interface TeamInSlack {
  readonly cards: readonly (string | AgentDefinition)[]
  /** Models by the name after `test/`. */
  readonly models?: Readonly<Record<string, LanguageModel>>
  /** `slack` in troupe.json, except the tokens. */
  readonly config?: JsonObject
  readonly slack?: FakeSlackOptions
  readonly app?: Partial<SlackAppOptions>
  readonly hostOptions?: Partial<HostOptions>
  /** Sends requests signed over HTTP. Default: Socket Mode. */
  readonly http?: boolean
  readonly store?: RunStore
}

/** The fields of a message that a test sets; the others have defaults. */
export type Said = Partial<WrittenMessage> & { readonly text: string }

/** A team that is served in a fake Slack for one test. */
export interface SlackRoom {
  readonly slack: FakeSlack
  readonly app: SlackApp
  readonly host: Host
  readonly state: SlackState
  readonly store: RunStore
  readonly errors: readonly unknown[]
  /** Sends a message that mentions the app. */
  mention(said: Said): Promise<SocketAck>
  /** Sends a direct message. */
  direct(said: Said, more?: JsonObject): Promise<SocketAck>
  command(text: string): Promise<SocketAck>
  /** Clicks a button of a message. */
  click(message: FakeMessage, actionId: string, user?: string): Promise<SocketAck>
  /** Clicks one of the feedback buttons of a message. */
  rate(message: FakeMessage, which: 'positive' | 'negative', user?: string): Promise<SocketAck>
  /** Returns the finished answers in a thread. */
  answers(threadTs?: string): readonly FakeMessage[]
  /** Waits for so many finished answers. */
  answered(count?: number): Promise<readonly FakeMessage[]>
}

/** Serves a team in a fake Slack until the test ends. */
export async function serveSlack(team: TeamInSlack): Promise<SlackRoom> {
  const slack = await startFakeSlack({
    workspaces: [{ ...ACME, scopes: [...SCOPES.bot, ...SCOPES.bot_optional] }],
    events: MANIFEST.settings.event_subscriptions.bot_events,
    ...team.slack,
  })
  const store = team.store ?? createMemoryStore({ clock: SYSTEM_CLOCK, maxRoots: 1000 })
  const host = await createHost({
    cards: team.cards,
    config: false,
    cwd: import.meta.dirname,
    store,
    models: Object.fromEntries(
      Object.entries(team.models ?? {}).map(([name, model]) => [`test/${name}`, model]),
    ),
    ...team.hostOptions,
  })
  const state = team.app?.state ?? (await openSlackState({ clock: SYSTEM_CLOCK }))
  const errors: unknown[] = []
  const app = await createSlackApp({
    host,
    store,
    state,
    clock: SYSTEM_CLOCK,
    pauseMs: 5,
    drainMs: 2000,
    onError: (thrown) => void errors.push(thrown),
    config: readSlackConfig(configOf(slack, team)),
    ...team.app,
  })
  onTestFinished(async () => {
    await app.close()
    await host.close()
    await slack.close()
    state.close()
  })
  return { slack, app, host, state, store, errors, ...personOf(slack) }
}

function configOf(slack: FakeSlack, { http, config, slack: options }: TeamInSlack): JsonObject {
  const botToken = options?.workspaces?.map((workspace) => workspace.botToken) ?? 'xoxb-acme-000000000000'
  const way = http === true ? { signingSecret: slack.signingSecret, port: 0 } : { appToken: slack.appToken }
  return { botToken, apiUrl: slack.apiUrl, ...way, ...config }
}

let written = 0

/** Returns a message in `#general` of a new event, in a thread of its own. */
export function writtenNow(said: Said): WrittenMessage {
  written += 1
  const ts = `1780000000.${String(written).padStart(6, '0')}`
  return { team: 'T0ACME', channel: 'C0GENERAL', user: 'U0ANN', eventId: `Ev${written}`, ts, ...said }
}

function personOf(
  slack: FakeSlack,
): Omit<SlackRoom, 'slack' | 'app' | 'host' | 'state' | 'store' | 'errors'> {
  const answers = (threadTs?: string): readonly FakeMessage[] =>
    slack
      .messages()
      .filter(
        (message) => message.state === 'complete' && (threadTs ?? message.threadTs) === message.threadTs,
      )
  const press = (
    { team, channel, ts, threadTs }: FakeMessage,
    click: Pick<Parameters<typeof clickPayload>[0], 'actionId' | 'user' | 'value' | 'type'>,
  ): Promise<SocketAck> =>
    slack.socket.send(
      'interactive',
      clickPayload({
        team,
        channel,
        ts,
        triggerId: slack.trigger(),
        responseUrl: slack.responseUrl,
        ...(threadTs === undefined ? {} : { threadTs }),
        ...click,
      }),
    )
  return {
    answers,
    mention: (said) =>
      slack.socket.send('events_api', mentionPayload(writtenNow({ ...said, text: `<@U0BOT> ${said.text}` }))),
    direct: (said, more) =>
      slack.socket.send('events_api', messagePayload(writtenNow({ channel: 'D0ANN', ...said }), more)),
    command: (text) =>
      slack.socket.send(
        'slash_commands',
        commandPayload({
          team: 'T0ACME',
          channel: 'C0GENERAL',
          user: 'U0ANN',
          command: '/troupe',
          text,
          triggerId: slack.trigger(),
          responseUrl: slack.responseUrl,
        }),
      ),
    click: (message, actionId, user = 'U0ANN') =>
      press(message, { actionId, user, value: valueOf(message, actionId) }),
    rate(message, which, user = 'U0ANN') {
      const choice = buttonOf(message, 'troupe_label')?.[`${which}_button`]
      const value = isJsonObject(choice) ? choice['value'] : ''
      if (typeof value !== 'string') throw new Error('The button has no value.')
      return press(message, { actionId: 'troupe_label', user, value, type: 'feedback_buttons' })
    },
    async answered(count = 1) {
      await slack.until(() => answers().length >= count)
      return answers()
    },
  }
}

function valueOf(message: FakeMessage, actionId: string): string {
  const value = buttonOf(message, actionId)?.['value']
  return typeof value === 'string' ? value : ''
}
