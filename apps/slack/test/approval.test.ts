import { buttonOf, type FakeMessage } from '@troupe/testkit/slack'
import { describe, expect, it } from 'vitest'
import { serveSlack, type SlackRoom } from './support/serve-slack.ts'
import { careful } from './support/careful.ts'

async function question({ slack }: SlackRoom): Promise<FakeMessage> {
  const find = (): FakeMessage | undefined =>
    slack.messages().find((message) => buttonOf(message, 'troupe_approve') !== undefined)
  await slack.until(() => find() !== undefined)
  return find() as FakeMessage
}

describe('a tool that asks', () => {
  it('a tool call runs after the requester approves it, and the message names them', async () => {
    const room = await serveSlack(careful())
    await room.mention({ text: 'Remove it' })
    const asked = await question(room)
    expect(JSON.stringify(asked.blocks)).toContain('&lt;!channel&gt;.txt')
    await room.click(asked, 'troupe_approve')
    const [answer] = await room.answered()
    expect(answer?.text).toBe('It is gone.')
    const decided = room.slack.messages().find(({ text }) => text === 'Decided.')
    expect(JSON.stringify(decided?.blocks)).toContain('Approved: by <@U0ANN>')
  })

  it('a tool call does not run if it is denied', async () => {
    const room = await serveSlack(careful())
    await room.mention({ text: 'Remove it' })
    await room.click(await question(room), 'troupe_deny')
    const [answer] = await room.answered()
    expect(answer?.text).toBe('It is still there.')
  })

  it('a tool call approved for a thread is not asked about again there', async () => {
    const room = await serveSlack(careful())
    await room.mention({ text: 'Remove it', ts: '4.1' })
    await room.click(await question(room), 'troupe_approve_thread')
    await room.answered(1)
    await room.mention({ text: 'And this', threadTs: '4.1' })
    await room.answered(2)
    expect(room.slack.messages().filter(({ text }) => text === 'A tool call needs approval.')).toEqual([])
  })

  it('only configured approvers can decide on a tool call', async () => {
    const room = await serveSlack({ ...careful(), config: { approvers: ['U0CHIEF'] } })
    await room.mention({ text: 'Remove it' })
    const asked = await question(room)
    await room.click(asked, 'troupe_approve', 'U0ANN')
    await room.slack.until(({ messages }) => messages().some(({ onlyFor }) => onlyFor === 'U0ANN'))
    expect(room.answers()).toEqual([])
    await room.click(asked, 'troupe_approve', 'U0CHIEF')
    await room.answered()
  })

  it('an open approval is denied if the run is stopped', async () => {
    const room = await serveSlack(careful())
    await room.mention({ text: 'Remove it' })
    await question(room)
    const [working] = room.slack.messages().filter(({ text }) => text.endsWith('is working'))
    await room.click(working as FakeMessage, 'troupe_stop')
    const [answer] = await room.answered()
    expect(answer?.text).toContain('Stopped')
    await room.slack.until(({ messages }) => messages().some(({ text }) => text === 'Decided.'))
  })
})
