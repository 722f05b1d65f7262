import path from 'node:path'
import { systemClock as clock } from '@troupe/core'
import { createSlackApp, openSlackState, readSlackConfig } from '@troupe/slack'
import { createMemoryStore } from '@troupe/store'
import {
  buttonOf,
  clickPayload,
  mentionPayload,
  startFakeSlack,
  type FakeMessage,
  type FakeSlack,
} from '@troupe/testkit/slack'
import { createHost } from 'troupe'
import { expect, it, onTestFinished } from 'vitest'

const APPROVER = 'U0CHIEF'

/** Serves the team in a fake Slack until the test ends. */
async function serve(): Promise<FakeSlack> {
  const slack = await startFakeSlack()
  const store = createMemoryStore({ clock })
  const env = {
    SLACK_BOT_TOKEN: 'xoxb-acme-000000000000',
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_APPROVER: APPROVER,
  }
  const host = await createHost({ cards: [path.join(import.meta.dirname, '..')], env, store })
  const state = await openSlackState({ clock })
  const config = readSlackConfig({ ...(host.settings('slack') as object), apiUrl: slack.apiUrl })
  const app = await createSlackApp({ host, store, state, clock, config, pauseMs: 5, drainMs: 2000 })
  onTestFinished(async () => {
    await app.close()
    await host.close()
    await slack.close()
    state.close()
  })
  return slack
}

async function messageWith(
  slack: FakeSlack,
  matches: (message: FakeMessage) => boolean,
): Promise<FakeMessage> {
  await slack.until(() => slack.messages().some(matches))
  return slack.messages().find(matches) as FakeMessage
}

function click(slack: FakeSlack, message: FakeMessage, actionId: string, user: string): Promise<unknown> {
  const value = buttonOf(message, actionId)?.['value'] as string
  const { team, channel, ts, threadTs } = message
  const thread = threadTs === undefined ? {} : { threadTs }
  const { responseUrl } = slack
  const triggerId = slack.trigger()
  return slack.socket.send(
    'interactive',
    clickPayload({ team, channel, ts, ...thread, user, actionId, value, triggerId, responseUrl }),
  )
}

it('a refund is paid after the approver clicks, and not after the customer does', async () => {
  const slack = await serve()
  const where = {
    team: 'T0ACME',
    channel: 'C0GENERAL',
    user: 'U0ANN',
    eventId: 'Ev1',
    ts: '1780000000.000001',
  }
  await slack.socket.send(
    'events_api',
    mentionPayload({ ...where, text: '<@U0BOT> My clock from order 7 is broken.' }),
  )
  const question = await messageWith(slack, (message) => buttonOf(message, 'troupe_approve') !== undefined)
  await click(slack, question, 'troupe_approve', 'U0ANN')
  await messageWith(slack, ({ onlyFor }) => onlyFor === 'U0ANN')
  expect(slack.messages().filter(({ text }) => text.includes('on their way'))).toEqual([])
  await click(slack, question, 'troupe_approve', APPROVER)
  const answer = await messageWith(slack, ({ state }) => state === 'complete')
  expect(answer.text).toBe('I am sorry. 80 euros are on their way.')
})
