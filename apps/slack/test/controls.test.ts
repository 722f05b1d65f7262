import type { Message } from '@troupe/schema'
import { deferred, verifies } from '@troupe/testkit/internal'
import type { FakeMessage } from '@troupe/testkit/slack'
import { leadAndClerks, oneAgent } from '@troupe/testkit/teams'
import { describe, expect, it } from 'vitest'
import { serveSlack, type SlackRoom } from './support/serve-slack.ts'

/** Waits for the message with the stop button. */
async function working({ slack }: SlackRoom): Promise<FakeMessage> {
  const find = (): FakeMessage | undefined => slack.messages().find(({ text }) => text.endsWith('is working'))
  await slack.until(() => find() !== undefined)
  return find() as FakeMessage
}

/** Returns true if the prompt contains this text. */
function asks(prompt: readonly Message[], what: string): boolean {
  return JSON.stringify(prompt).includes(what)
}

describe('the buttons', () => {
  it(`the Stop button stops a run, keeps the partial answer, and closes every row ${verifies('C62')}`, async () => {
    const never = new Promise<void>(() => undefined)
    const room = await serveSlack(
      leadAndClerks((prompt) => (asks(prompt, 'pears') ? { wait: never } : { text: '3' })),
    )
    await room.mention({ text: 'How many?' })
    await room.slack.until(({ messages }) => messages().some(({ tasks }) => tasks[0]?.status === 'complete'))
    await room.click(await working(room), 'troupe_stop')
    const [answer] = await room.answered()
    expect(answer?.text).toBe('I ask.\n\n_Stopped._')
    expect(answer?.tasks.map(({ status }) => status)).toEqual(['complete', 'error'])
    await room.slack.until(({ messages }) => messages().every(({ text }) => !text.endsWith('is working')))
  })

  it(`the Retry button asks again in the same thread ${verifies('C63')}`, async () => {
    const room = await serveSlack(oneAgent([{ text: 'First.' }, { text: 'Second.' }]))
    await room.mention({ text: 'Say it', ts: '2.1' })
    const [first] = await room.answered(1)
    await room.click(first as FakeMessage, 'troupe_retry', 'U0BOB')
    await room.answered(2)
    expect(room.answers('2.1').map(({ text }) => text)).toEqual(['First.', 'Second.'])
  })

  it(`the Details button shows the run tree in a modal ${verifies('C64')}`, async () => {
    const room = await serveSlack(leadAndClerks(() => ({ text: '3 <!channel>' })))
    await room.mention({ text: 'How many?' })
    const [answer] = await room.answered()
    await room.click(answer as FakeMessage, 'troupe_details')
    await room.slack.until(({ views }) => views.length === 1)
    const shown = JSON.stringify(room.slack.views[0])
    expect(shown).toContain('*Lead*')
    expect(shown).toContain('*Clerk[1]*')
    expect(shown).toContain('*Clerk[2]*')
    expect(shown).toContain('&lt;!channel&gt;')
    expect(shown).not.toContain('<!channel>')
  })

  it('the Details button shows the progress of an active run', async () => {
    const gate = deferred()
    const room = await serveSlack(leadAndClerks(() => ({ text: '3', wait: gate.promise })))
    await room.mention({ text: 'Go' })
    await room.slack.until(({ messages }) =>
      messages().some(({ tasks }) => tasks[1]?.status === 'in_progress'),
    )
    await room.click(await working(room), 'troupe_details')
    await room.slack.until(({ views }) => views.length === 1)
    expect(JSON.stringify(room.slack.views[0])).toContain(':hourglass_flowing_sand: *Clerk[2]*')
    gate.resolve()
    await room.answered()
  })

  it(`the Download button uploads the report to the thread as JSON ${verifies('C65', 'C87')}`, async () => {
    const room = await serveSlack(oneAgent([{ text: 'Hello.' }]))
    await room.mention({ text: 'Go', ts: '3.1', eventId: 'EvFile' })
    const [answer] = await room.answered()
    await room.click(answer as FakeMessage, 'troupe_download')
    await room.slack.until(({ files }) => files.length === 1)
    const [file] = room.slack.files
    expect(file).toMatchObject({ name: 'slack-T0ACME-EvFile.json', threadTs: '3.1', channel: 'C0GENERAL' })
    expect(JSON.parse(file?.content ?? '')).toMatchObject({
      runId: 'slack-T0ACME-EvFile',
      outcome: 'completed',
      output: { text: 'Hello.' },
    })
  })

  it('the feedback buttons label the run of the answer, and the last click counts', async () => {
    const room = await serveSlack(oneAgent([{ text: 'Hello.' }]))
    await room.mention({ text: 'Go', eventId: 'EvRate' })
    const [answer] = await room.answered()
    const label = async (): Promise<unknown> =>
      (await room.store.roots({ rootRunId: 'slack-T0ACME-EvRate' }))[0]?.label
    const replies = (): readonly FakeMessage[] =>
      room.slack.messages().filter(({ text }) => text === 'Your feedback was saved.')
    await room.rate(answer as FakeMessage, 'negative')
    await room.slack.until(() => replies().length === 1)
    expect(await label()).toEqual({ value: 'down' })
    await room.rate(answer as FakeMessage, 'positive', 'U0BOB')
    await room.slack.until(() => replies().length === 2)
    expect(await label()).toEqual({ value: 'up' })
    expect(replies().map(({ onlyFor }) => onlyFor)).toEqual(['U0ANN', 'U0BOB'])
  })

  it('the feedback buttons say so if the answer is not stored', async () => {
    const { cards, models } = oneAgent([{ text: 'Hello.' }])
    const room = await serveSlack({ cards: cards.map((card) => ({ ...card, store: 'none' })), models })
    await room.mention({ text: 'Go' })
    const [answer] = await room.answered()
    await room.rate(answer as FakeMessage, 'negative')
    await room.slack.until(({ messages }) =>
      messages().some(({ text }) => text === 'This answer is not stored, so it cannot have feedback.'),
    )
    expect(room.errors).toEqual([])
  })

  it('a button of an unknown request does nothing', async () => {
    const room = await serveSlack(oneAgent([{ text: 'Hello.' }]))
    await room.mention({ text: 'Go' })
    const [answer] = await room.answered()
    const forged = JSON.parse(JSON.stringify(answer).replaceAll(/Ev\d+/gu, 'EvNone')) as FakeMessage
    await room.click(forged, 'troupe_retry')
    expect(room.errors).toEqual([])
    expect(room.answers()).toHaveLength(1)
  })
})
