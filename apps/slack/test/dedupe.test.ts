import { mentionPayload, messagePayload } from '@troupe/testkit/slack'
import type { JsonObject } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { oneAgent } from '@troupe/testkit/teams'
import { describe, expect, it } from 'vitest'
import { serveSlack, writtenNow } from './support/serve-slack.ts'

describe('events from Slack', () => {
  it('four copies of an event start one run', async () => {
    const room = await serveSlack(oneAgent([{ text: 'Once.' }]))
    const payload = mentionPayload(writtenNow({ text: '<@U0BOT> hello' }))
    await Promise.all([1, 2, 3, 4].map(() => room.slack.socket.send('events_api', payload)))
    await room.answered(1)
    await room.slack.socket.send('events_api', payload)
    expect(room.answers()).toHaveLength(1)
    expect(room.errors).toEqual([])
  })

  it('messages of bots, of the app itself and edits are not answered', async () => {
    const room = await serveSlack(oneAgent([{ text: 'To a person.' }]))
    const direct = (more: object): Promise<unknown> =>
      room.slack.socket.send(
        'events_api',
        messagePayload(writtenNow({ channel: 'D0ANN', text: 'hello' }), { ...more }),
      )
    await direct({ bot_id: 'B0OTHER' })
    await direct({ bot_id: 'B0BOT', user: 'U0BOT' })
    await direct({ subtype: 'message_changed' })
    await direct({ subtype: 'message_deleted' })
    await direct({ subtype: 'channel_join' })
    const mention = mentionPayload(writtenNow({ text: '<@U0BOT> hello' }))
    const event = { ...(mention['event'] as JsonObject), bot_id: 'B0OTHER', user: 'U0OTHER' }
    await room.slack.socket.send('events_api', { ...mention, event })
    await room.direct({ text: 'hello' })
    await room.answered(1)
    expect(room.answers().map(({ text }) => text)).toEqual(['To a person.'])
  })

  it(`requests with the same ids in two workspaces stay separate ${verifies('C79')}`, async () => {
    const botToken = (name: string): string => `xoxb-${name}-000000000000`
    const channels = [{ id: 'C1', name: 'general' }]
    const room = await serveSlack({
      ...oneAgent((prompt) => ({ text: `${prompt.length} messages` })),
      slack: {
        workspaces: ['one', 'two'].map((name) => ({
          team: `T${name}`,
          botToken: botToken(name),
          botUser: 'U0BOT',
          botId: 'B0BOT',
          channels,
        })),
      },
    })
    const said = { channel: 'C1', eventId: 'Ev-same', ts: '1.1', text: 'hello' }
    await Promise.all(['Tone', 'Ttwo'].map((team) => room.mention({ ...said, team })))
    await room.answered(2)
    expect(
      room
        .answers()
        .map(({ team, text }) => `${team}: ${text}`)
        .toSorted(),
    ).toEqual(['Tone: 2 messages', 'Ttwo: 2 messages'])
  })
})
