import { verifies } from '@troupe/testkit/internal'
import { leadAndClerks, oneAgent } from '@troupe/testkit/teams'
import { describe, expect, it } from 'vitest'
import { serveSlack } from './support/serve-slack.ts'

describe('a mention', () => {
  it(`a mention is answered in its thread, with a row per child ${verifies('C7', 'C61')}`, async () => {
    const room = await serveSlack(leadAndClerks(() => ({ text: '3' })))
    await room.mention({ text: 'How many?', ts: '1.1' })
    const [answer] = await room.answered()
    expect(answer).toMatchObject({ channel: 'C0GENERAL', threadTs: '1.1', text: 'I ask.\n\nThere are 3.' })
    expect(answer?.tasks).toMatchObject([
      { title: 'Clerk[1]', status: 'complete', details: 'apples', output: '3' },
      { title: 'Clerk[2]', status: 'complete', details: 'pears', output: '3' },
    ])
    expect(room.errors).toEqual([])
  })

  it(`a mention is acknowledged long before its answer`, async () => {
    const never = new Promise<void>(() => undefined)
    const room = await serveSlack({ ...oneAgent([{ text: 'x', wait: never }]), app: { drainMs: 1 } })
    await room.mention({ text: 'Hello' })
    expect(room.answers()).toEqual([])
  })

  it(`a mention in a thread continues its conversation ${verifies('C60')}`, async () => {
    const room = await serveSlack(oneAgent((prompt) => ({ text: `${prompt.length} messages` })))
    await room.mention({ text: 'One', ts: '5.1' })
    await room.answered(1)
    await room.mention({ text: 'Two', ts: '5.2', threadTs: '5.1', user: 'U0BOB' })
    await room.answered(2)
    await room.mention({ text: 'Elsewhere', ts: '6.1' })
    await room.answered(3)
    expect(room.answers('5.1').map(({ text }) => text)).toEqual(['2 messages', '4 messages'])
    expect(room.answers('6.1').map(({ text }) => text)).toEqual(['2 messages'])
  })

  it('mentions in one thread are answered one after the other', async () => {
    const room = await serveSlack(oneAgent((prompt) => ({ text: `${prompt.length}` })))
    await Promise.all([1, 2, 3].map((at) => room.mention({ text: `${at}`, ts: `7.${at}`, threadTs: '7.0' })))
    await room.answered(3)
    expect(room.answers('7.0').map(({ text }) => text)).toEqual(['2', '4', '6'])
  })
})
