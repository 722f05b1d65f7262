import { defineAgent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import type { FakeMessage } from '@troupe/testkit/slack'
import { oneAgent, SYSTEM_CLOCK } from '@troupe/testkit/teams'
import { openSlackState } from '../src/index.ts'
import { serveSlack, type SlackRoom } from './support/serve-slack.ts'

const hello = oneAgent(() => ({ text: 'Hello.', usage: { input: 900, output: 200 } }))

/** Waits for ephemeral messages to a user. */
async function told({ slack }: SlackRoom, count = 1): Promise<readonly FakeMessage[]> {
  const find = (): readonly FakeMessage[] => slack.messages().filter(({ onlyFor }) => onlyFor !== undefined)
  await slack.until(() => find().length >= count)
  return find()
}

describe('limits', () => {
  it(`a user limit rejects a user who asks too often, and no other user ${verifies('C66')}`, async () => {
    const room = await serveSlack({ ...hello, config: { limits: { user: { requestsPerMinute: 1 } } } })
    await room.mention({ text: 'One' })
    await room.answered(1)
    await room.mention({ text: 'Two' })
    const [refusal] = await told(room)
    expect(refusal).toMatchObject({ onlyFor: 'U0ANN' })
    expect(refusal?.text).toContain('You have asked 1 time in the last minute')
    await room.mention({ text: 'Three', user: 'U0BOB' })
    await room.answered(2)
  })

  it(`limits apply across a restart ${verifies('C66')}`, async () => {
    const state = await openSlackState({ clock: SYSTEM_CLOCK })
    state.setUsage('user:T0ACME:U0ANN', { by: 'EvBefore', tokens: 1100, micros: 0 })
    const config = { limits: { user: { tokensPerDay: 1000 } } }
    const room = await serveSlack({ ...hello, app: { state }, config })
    await room.mention({ text: 'One' })
    const [refusal] = await told(room)
    expect(refusal?.text).toContain('You have used 1,000 tokens in the last 24 hours')
    expect(room.answers()).toEqual([])
  })

  it('a channel limit counts the usage of all its users', async () => {
    const room = await serveSlack({ ...hello, config: { limits: { channel: { tokensPerDay: 10_000 } } } })
    await room.mention({ text: 'One' })
    await room.answered(1)
    expect(room.state.usageSince('channel:T0ACME:C0GENERAL', 0)).toMatchObject({ requests: 1, tokens: 1100 })
  })

  it('a limit ends a run that would use more than the remainder', async () => {
    const state = await openSlackState({ clock: SYSTEM_CLOCK })
    state.setUsage('user:T0ACME:U0ANN', { by: 'EvBefore', tokens: 999, micros: 0 })
    const config = { limits: { user: { tokensPerDay: 1000 } } }
    const room = await serveSlack({ ...hello, app: { state }, config })
    await room.mention({ text: 'One' })
    const [answer] = await room.answered(1)
    expect(answer?.text).toContain('The budget is used up.')
  })
})

describe('rules of channels', () => {
  it('a channel rule can reject all requests in a channel', async () => {
    const channels = [{ match: 'ops-*', deny: true }, { match: '*' }]
    const room = await serveSlack({ ...hello, config: { channels } })
    await room.mention({ text: 'Hello', channel: 'C0OPS' })
    const [refusal] = await told(room)
    expect(refusal?.text).toBe('No agent answers in this channel.')
    await room.mention({ text: 'Hello' })
    await room.answered(1)
    expect(room.answers().map(({ channel }) => channel)).toEqual(['C0GENERAL'])
  })
})

describe('rules that name an agent', () => {
  it('a rule that names an agent applies to channels by name, by id and to direct messages', async () => {
    const agents = ['Entry', 'Ops', 'Helper'].map((name) =>
      defineAgent({
        name,
        description: name,
        instruction: name,
        model: 'test/name',
        ...(name === 'Entry' ? { default: true } : {}),
      }),
    )
    const channels = [
      { match: 'ops-*', agent: 'Ops' },
      { match: '@direct', agent: 'Helper' },
    ]
    const name = scriptedModel((prompt) => ({ text: JSON.stringify(prompt[0]?.content) }))
    const room = await serveSlack({ cards: agents, models: { name }, config: { channels } })
    await room.mention({ text: 'Hello', channel: 'C0OPS' })
    await room.mention({ text: 'Hello', channel: 'C0GENERAL' })
    await room.direct({ text: 'Hello' })
    await room.answered(3)
    expect(new Map(room.answers().map(({ channel, text }) => [channel, text]))).toEqual(
      new Map([
        ['C0OPS', '"Ops"'],
        ['C0GENERAL', '"Entry"'],
        ['D0ANN', '"Helper"'],
      ]),
    )
  })
})

describe('the slash command', () => {
  it('the slash command starts a public thread and answers in it', async () => {
    const room = await serveSlack(hello)
    const ack = await room.command('What is <up> & down?')
    expect(ack.payload).toEqual({})
    const [answer] = await room.answered(1)
    const root = room.slack.messages().find(({ ts }) => ts === answer?.threadTs)
    expect(root?.text).toBe('<@U0ANN> asked: What is &lt;up&gt; &amp; down?')
  })

  it('the slash command shows agents and usage only to the caller', async () => {
    const room = await serveSlack({ ...hello, config: { limits: { user: { tokensPerDay: 5000 } } } })
    expect((await room.command('agents')).payload).toMatchObject({
      response_type: 'ephemeral',
      text: '• *One* Does one thing.',
    })
    await room.mention({ text: 'One' })
    await room.answered(1)
    expect((await room.command('usage')).payload['text']).toBe(
      'In the last 24 hours: 1 questions, 1100 tokens, $0.0000.',
    )
    expect((await room.command('help')).payload['text']).toContain('/troupe <question>')
    expect(room.answers()).toHaveLength(1)
  })
})
