import { defineAgent } from '@troupe/schema'
import { deferred, scriptedModel } from '@troupe/testkit'
import { viewPayload, type FakeSlack } from '@troupe/testkit/slack'
import { oneAgent } from '@troupe/testkit/teams'
import { describe, expect, it } from 'vitest'
import { serveSlack, type SlackRoom } from './support/serve-slack.ts'

type View = Parameters<typeof viewPayload>[0]
let seen = 0

/** Ann does something around her conversation with the app. */
function look({ slack }: SlackRoom, view: Pick<View, 'type' | 'viewing' | 'tab'>): Promise<unknown> {
  seen += 1
  const ann = { team: 'T0ACME', channel: 'D0ANN', user: 'U0ANN', eventId: `EvView${seen}` }
  return slack.socket.send('events_api', viewPayload({ ...ann, ...view }))
}

function callsOf({ calls }: FakeSlack, method: string) {
  return calls.filter((call) => call.method === `assistant.threads.${method}`)
}

/** What the model is asked comes back as its answer. */
const echo = oneAgent((prompt) => ({ text: JSON.stringify(prompt.at(-1)?.content) }))

describe('the view of an agent', () => {
  it('says that it is at work before there is an answer, and names a direct conversation', async () => {
    const gate = deferred()
    const room = await serveSlack(oneAgent([{ text: 'Here.', wait: gate.promise }]))
    await room.direct({ text: 'Plan  my\ntrip', ts: '1.1' })
    await room.slack.until((slack) => callsOf(slack, 'setTitle').length === 1)
    expect(callsOf(room.slack, 'setStatus')).toMatchObject([
      { args: { channel_id: 'D0ANN', thread_ts: '1.1', status: 'is at work…' } },
    ])
    expect(callsOf(room.slack, 'setTitle')).toMatchObject([
      { args: { channel_id: 'D0ANN', thread_ts: '1.1', title: 'Plan my trip' } },
    ])
    gate.resolve()
    await room.answered()
    expect(room.errors).toEqual([])
  })

  it('keeps the name of a conversation that goes on, and names no thread of a channel', async () => {
    const room = await serveSlack(oneAgent(() => ({ text: 'Here.' })))
    await room.direct({ text: 'One', ts: '2.1' })
    await room.answered(1)
    await room.direct({ text: 'Two', ts: '2.2', threadTs: '2.1' })
    await room.answered(2)
    await room.mention({ text: 'Three' })
    await room.answered(3)
    expect(callsOf(room.slack, 'setTitle')).toHaveLength(1)
    expect(callsOf(room.slack, 'setStatus')).toHaveLength(3)
  })

  it('asks no more for what Slack refuses, and answers all the same', async () => {
    const room = await serveSlack(oneAgent(() => ({ text: 'Here.' })))
    room.slack.fail('assistant.threads.setStatus', 'not_allowed_token_type')
    await room.mention({ text: 'One' })
    await room.answered(1)
    await room.mention({ text: 'Two' })
    await room.answered(2)
    expect(callsOf(room.slack, 'setStatus')).toHaveLength(1)
    expect(room.errors).toHaveLength(1)
  })

  it('offers the example input of the agent that answers directly, without a thread', async () => {
    const agents = ['Entry', 'Helper'].map((name) =>
      defineAgent({
        name,
        description: name,
        instruction: name,
        model: 'test/one',
        usage: `What does ${name} do?`,
        ...(name === 'Entry' ? { default: true } : {}),
      }),
    )
    const room = await serveSlack({
      cards: agents,
      models: { one: scriptedModel([]) },
      config: { channels: [{ match: '@direct', agent: 'Helper' }] },
    })
    await look(room, { type: 'app_home_opened', tab: 'home' })
    await look(room, { type: 'app_home_opened', tab: 'messages' })
    await room.slack.until((slack) => callsOf(slack, 'setSuggestedPrompts').length > 0)
    expect(callsOf(room.slack, 'setSuggestedPrompts').map(({ args }) => args)).toEqual([
      {
        channel_id: 'D0ANN',
        prompts: [{ title: 'What does Helper do?', message: 'What does Helper do?' }],
      },
    ])
  })

  it('offers what the configuration says', async () => {
    const prompts = [{ title: 'Today', message: 'What is on today?' }]
    const room = await serveSlack({ ...echo, config: { prompts } })
    await look(room, { type: 'app_home_opened', tab: 'messages' })
    await room.slack.until((slack) => callsOf(slack, 'setSuggestedPrompts').length > 0)
    expect(callsOf(room.slack, 'setSuggestedPrompts')[0]?.args['prompts']).toEqual(prompts)
  })

  it('tells the agent which channel a person has open beside a direct conversation', async () => {
    const room = await serveSlack(echo)
    await look(room, { type: 'app_context_changed', viewing: 'C0OPS' })
    await room.direct({ text: 'What is here?' })
    const [answer] = await room.answered(1)
    expect(answer?.text).toContain('The person has the channel #ops-alerts (C0OPS) open.')
    await look(room, { type: 'app_context_changed' })
    await room.direct({ text: 'And now?' })
    await room.answered(2)
    expect(room.answers()[1]?.text).not.toContain('The person has')
  })

  it('takes the channel from the message, and by its id where the app is not in it', async () => {
    const room = await serveSlack(echo)
    const entities = [
      { type: 'slack#/types/message_context', value: { channel_id: 'C0FAR', message_ts: '1.1' } },
    ]
    await room.direct({ text: 'What is here?' }, { app_context: { entities } })
    const [answer] = await room.answered(1)
    expect(answer?.text).toContain('The person has the channel C0FAR open.')
  })
})
