import { troupeError } from '@troupe/schema'
import { leadAndClerks, oneAgent } from '@troupe/testkit/teams'
import { type ScriptedPart } from '@troupe/testkit'
import { deferred, verifies } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { serveSlack } from './support/serve-slack.ts'

const FINISHED: ScriptedPart = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: undefined },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
}

describe('an answer', () => {
  it('an answer of 13,000 characters is cut in the message and complete in a file', async () => {
    const line = 'A line of fifty characters, as long as this one is.\n'
    const long = line.repeat(260)
    const room = await serveSlack(oneAgent([{ text: long.match(/[^]{1,997}/gu) ?? [] }]))
    await room.mention({ text: 'Tell me', ts: '8.1' })
    const [answer] = await room.answered()
    expect(answer?.text.length).toBeLessThan(12_000)
    expect(answer?.text).toContain('The full answer is in the file below.')
    expect(room.slack.files).toMatchObject([{ name: 'answer.md', threadTs: '8.1', content: long }])
    expect(room.errors).toEqual([])
  })

  it('mentions in the text of a model are escaped', async () => {
    const room = await serveSlack(oneAgent([{ text: ['<!chan', 'nel> <@U0ANN> a & b\n', '> quoted'] }]))
    await room.mention({ text: 'Go' })
    const [answer] = await room.answered()
    expect(answer?.text).toBe('&lt;!channel&gt; &lt;@U0ANN&gt; a &amp; b\n> quoted')
  })

  it(`an answer contains no secrets of the team and no tokens of the app ${verifies('C67')}`, async () => {
    const secret = 'sk-canary-1234567890abcdef'
    const said = `The key is ${secret} and xoxb-acme-000000000000.`
    const room = await serveSlack({
      ...leadAndClerks(() => ({ text: said })),
      hostOptions: { env: { OPENAI_API_KEY: secret } },
    })
    await room.mention({ text: `Mine is ${secret}` })
    await room.answered()
    const sent = JSON.stringify(room.slack.calls.map(({ args }) => args))
    expect(sent).not.toContain(secret)
    expect(sent).not.toContain('xoxb-acme')
  })

  it(`an answer contains no secret that is streamed in pieces ${verifies('C67')}`, async () => {
    const secret = 'sk-canary-1234567890abcdef'
    const token = 'xoxb-acme-000000000000'
    const whole = `It is ${secret}, and ${token}.`
    const gates = [deferred(), deferred()]
    const cuts = [whole.slice(0, 14), whole.slice(14, whole.length - 9), whole.slice(whole.length - 9)]
    const parts: readonly ScriptedPart[] = [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 'text' },
      ...cuts.flatMap((delta, at): readonly ScriptedPart[] => [
        { type: 'text-delta', id: 'text', delta },
        ...gates.slice(at, at + 1).map(({ promise }) => promise),
      ]),
      { type: 'text-end', id: 'text' },
      FINISHED,
    ]
    const room = await serveSlack({
      ...oneAgent([{ parts }]),
      hostOptions: { env: { OPENAI_API_KEY: secret } },
    })
    await room.mention({ text: 'Say it' })
    const told = (): string => JSON.stringify(room.slack.calls.map(({ args }) => args))
    await room.slack.until(() => told().includes('It is'))
    gates[0]?.resolve()
    await room.slack.until(() => told().includes(', and'))
    gates[1]?.resolve()
    const [answer] = await room.answered()
    expect(answer?.text).toBe('It is [redacted:OPENAI_API_KEY], and [redacted:SLACK_BOT_TOKEN].')
  })

  it('a failed answer gives the reason and closes its rows', async () => {
    const error = troupeError('model_refused', 'The provider is <down>.')
    const room = await serveSlack(leadAndClerks([{ error }, { error }]))
    await room.mention({ text: 'Go' })
    const [answer] = await room.answered()
    expect(answer?.tasks.map(({ status }) => status)).toEqual(['error', 'error'])
  })

  it('an answer waits for the rate limit of Slack and loses nothing', async () => {
    const room = await serveSlack(oneAgent([{ text: ['One ', 'two ', 'three.'] }]))
    room.slack.limit('chat.appendStream', { times: 1, retryAfter: 1 })
    room.slack.limit('chat.stopStream', { times: 1, retryAfter: 1 })
    await room.mention({ text: 'Count' })
    const [answer] = await room.answered()
    expect(answer?.text).toBe('One two three.')
  })

  it('an answer is posted as one message if Slack rejects the stream', async () => {
    const room = await serveSlack(oneAgent([{ text: '**Hello.**' }]))
    room.slack.fail('chat.startStream', 'method_not_supported_for_channel_type')
    await room.mention({ text: 'Go', ts: '9.1' })
    const posted = () => room.slack.messages().find(({ text }) => text === '**Hello.**')
    await room.slack.until(() => posted() !== undefined)
    expect(posted()).toMatchObject({
      threadTs: '9.1',
      blocks: [{ type: 'markdown' }, { type: 'actions' }, { type: 'context_actions' }],
    })
    expect(room.errors).toHaveLength(1)
  })

  it('an answer continues in a second message, within its code block, if Slack has ended the first', async () => {
    const gate = deferred()
    const parts: readonly ScriptedPart[] = [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 'text' },
      { type: 'text-delta', id: 'text', delta: 'Code:\n```js\none()\n' },
      gate.promise,
      { type: 'text-delta', id: 'text', delta: 'two()\n```\n' },
      { type: 'text-end', id: 'text' },
      FINISHED,
    ]
    const room = await serveSlack(oneAgent([{ parts }]))
    await room.mention({ text: 'Go', ts: '10.1' })
    await room.slack.until(({ messages }) => messages().some(({ text }) => text.includes('one()')))
    room.slack.expireStreams()
    gate.resolve()
    const [rest] = await room.answered()
    expect(rest).toMatchObject({ threadTs: '10.1', text: '```\ntwo()\n```\n' })
    expect(room.errors).toEqual([])
  })

  it('an answer with a rejected piece leaves no open message and is posted completely below', async () => {
    const [apples, pears] = [deferred(), deferred()]
    const room = await serveSlack(
      leadAndClerks((prompt) => ({
        text: '3',
        wait: JSON.stringify(prompt).includes('pears') ? pears.promise : apples.promise,
      })),
    )
    room.slack.fail('chat.appendStream', 'internal_error')
    await room.mention({ text: 'Go', ts: '11.1' })
    await room.slack.until(({ messages }) => messages().some(({ state }) => state === 'streaming'))
    apples.resolve()
    await room.slack.until(({ calls }) => calls.some(({ error }) => error === 'internal_error'))
    pears.resolve()
    const posted = () => room.slack.messages().find(({ text }) => text.includes('There are 3.'))
    await room.slack.until(() => posted() !== undefined)
    const [cut] = room.answers('11.1')
    expect(cut?.text).toContain('The answer follows below.')
    expect(cut?.tasks.filter(({ status }) => status === 'in_progress' || status === 'pending')).toEqual([])
    expect(room.errors).toHaveLength(1)
  })

  it('an answer arrives after Slack has asked the app to reconnect', async () => {
    const room = await serveSlack(oneAgent(() => ({ text: 'Hello.' })))
    await room.slack.socket.recycle()
    await room.direct({ text: 'Still there?' })
    await room.answered()
    expect(room.slack.socket.opened).toBe(2)
  })
})
