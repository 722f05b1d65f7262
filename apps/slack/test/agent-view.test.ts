import { defineAgent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { deferred } from '@troupe/testkit/internal'
import { viewPayload, type FakeSlack } from '@troupe/testkit/slack'
import { oneAgent } from '@troupe/testkit/teams'
import { describe, expect, it } from 'vitest'
import { serveSlack, type SlackRoom } from './support/serve-slack.ts'

type View = Parameters<typeof viewPayload>[0]
let seen = 0

/** Sends an event of Ann opening a view or the conversation with the app. */
function look({ slack }: SlackRoom, view: Pick<View, 'type' | 'viewing' | 'tab'>): Promise<unknown> {
  seen += 1
  const ann = { team: 'T0ACME', channel: 'D0ANN', user: 'U0ANN', eventId: `EvView${seen}` }
  return slack.socket.send('events_api', viewPayload({ ...ann, ...view }))
}

function callsOf({ calls }: FakeSlack, method: string) {
  return calls.filter((call) => call.method === `assistant.threads.${method}`)
}

/** An agent that answers with its prompt. */
const echo = oneAgent((prompt) => ({ text: JSON.stringify(prompt.at(-1)?.content) }))

describe('the view of an agent', () => {
  it('the agent view shows a status before the answer, and titles a direct conversation', async () => {
    const gate = deferred()
    const room = await serveSlack(oneAgent([{ text: 'Here.', wait: gate.promise }]))
    await room.direct({ text: 'Plan  my\ntrip', ts: '1.1' })
    await room.slack.until((slack) => callsOf(slack, 'setTitle').length === 1)
    expect(callsOf(room.slack, 'setStatus')).toMatchObject([
      { args: { channel_id: 'D0ANN', thread_ts: '1.1', status: 'is working…' } },
    ])
    expect(callsOf(room.slack, 'setTitle')).toMatchObject([
      { args: { channel_id: 'D0ANN', thread_ts: '1.1', title: 'Plan my trip' } },
    ])
    gate.resolve()
    await room.answered()
    expect(room.errors).toEqual([])
  })

  it('the agent view keeps the title of a continued conversation, and sets no title in channel threads', async () => {
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

  it('the app stops using agent view methods that Slack rejects, and still answers', async () => {
    const room = await serveSlack(oneAgent(() => ({ text: 'Here.' })))
    room.slack.fail('assistant.threads.setStatus', 'not_allowed_token_type')
    await room.mention({ text: 'One' })
    await room.answered(1)
    await room.mention({ text: 'Two' })
    await room.answered(2)
    expect(callsOf(room.slack, 'setStatus')).toHaveLength(1)
    expect(room.errors).toHaveLength(1)
  })

  it('the agent view suggests the usage example of the agent for direct messages', async () => {
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

  it('the agent view suggests the prompts of the configuration', async () => {
    const prompts = [{ title: 'Today', message: 'What is on today?' }]
    const room = await serveSlack({ ...echo, config: { prompts } })
    await look(room, { type: 'app_home_opened', tab: 'messages' })
    await room.slack.until((slack) => callsOf(slack, 'setSuggestedPrompts').length > 0)
    expect(callsOf(room.slack, 'setSuggestedPrompts')[0]?.args['prompts']).toEqual(prompts)
  })

  it('the agent receives the channel that a user has open beside a direct conversation', async () => {
    const room = await serveSlack(echo)
    await look(room, { type: 'app_context_changed', viewing: 'C0OPS' })
    await room.direct({ text: 'What is here?' })
    const [answer] = await room.answered(1)
    expect(answer?.text).toContain('The user has the channel #ops-alerts (C0OPS) open.')
    await look(room, { type: 'app_context_changed' })
    await room.direct({ text: 'And now?' })
    await room.answered(2)
    expect(room.answers()[1]?.text).not.toContain('The user has')
  })

  it('the open channel comes from the message, and is given by id if the app is not a member', async () => {
    const room = await serveSlack(echo)
    const entities = [
      { type: 'slack#/types/message_context', value: { channel_id: 'C0FAR', message_ts: '1.1' } },
    ]
    await room.direct({ text: 'What is here?' }, { app_context: { entities } })
    const [answer] = await room.answered(1)
    expect(answer?.text).toContain('The user has the channel C0FAR open.')
  })
})
