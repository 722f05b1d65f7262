import { createHost } from '@troupe/host'
import type { JsonObject } from '@troupe/schema'
import { createMemoryStore } from '@troupe/store'
import { deferred, tempProject, verifies } from '@troupe/testkit/internal'
import { startFakeSlack, mentionPayload, type FakeSlack } from '@troupe/testkit/slack'
import { leadAndClerks, oneAgent, SYSTEM_CLOCK, toModelIds } from '@troupe/testkit/teams'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSlackApp, openSlackState, readSlackConfig, type SubjectUsage } from '../src/index.ts'
import { writtenNow } from './support/serve-slack.ts'
import { careful } from './support/careful.ts'

type Team = ReturnType<typeof oneAgent>

/** Sets up a state and a store that successive processes share. */
async function processes(): Promise<{
  readonly slack: FakeSlack
  /** Returns the recorded usage of a subject. */
  spent(subject: string): Promise<SubjectUsage>
  /** `slack` of the configuration, beside the tokens. */
  start(team: Team, slack?: JsonObject): Promise<() => Promise<void>>
}> {
  const slack = await startFakeSlack()
  const project = await tempProject({})
  const store = createMemoryStore({ clock: SYSTEM_CLOCK })
  onTestFinished(() => slack.close())
  return {
    slack,
    async spent(subject) {
      const state = await openSlackState({ file: `${project.path}/slack.db`, clock: SYSTEM_CLOCK })
      const spent = state.usageSince(subject, 0)
      state.close()
      return spent
    },
    async start({ cards, models }, more) {
      const host = await createHost({
        cards,
        config: false,
        cwd: project.path,
        store: { ...store, close: () => undefined },
        models: toModelIds(models),
      })
      const state = await openSlackState({ file: `${project.path}/slack.db`, clock: SYSTEM_CLOCK })
      const { appToken, apiUrl } = slack
      const config = readSlackConfig({ botToken: 'xoxb-acme-000000000000', appToken, apiUrl, ...more })
      const app = await createSlackApp({
        host,
        store,
        state,
        config,
        clock: SYSTEM_CLOCK,
        pauseMs: 5,
        drainMs: 1,
      })
      let isClosed = false
      const close = async (): Promise<void> => {
        if (isClosed) return
        isClosed = true
        await app.close()
        await host.close()
        state.close()
      }
      onTestFinished(close)
      return close
    },
  }
}

describe('after a restart', () => {
  it(`a restart answers an interrupted request once and closes the rows of its message ${verifies('C60')}`, async () => {
    const { slack, start } = await processes()
    const gate = deferred()
    const close = await start(leadAndClerks(() => ({ text: '3', wait: gate.promise })))
    await slack.socket.send('events_api', mentionPayload(writtenNow({ text: '<@U0BOT> go', ts: '1.1' })))
    await slack.until(({ messages }) => messages().some(({ tasks }) => tasks[1]?.status === 'in_progress'))
    await close()
    await start(leadAndClerks(() => ({ text: '3' })))
    await slack.until(({ messages }) => messages().filter(({ state }) => state === 'complete').length === 2)
    const [cut, answer] = slack.messages().filter(({ state }) => state === 'complete')
    expect(cut?.text).toContain('This answer was interrupted. The full answer follows below.')
    expect(cut?.tasks.map(({ status }) => status)).toEqual(['error', 'error'])
    expect(answer).toMatchObject({ threadTs: '1.1' })
    expect(answer?.text).toContain('There are 3.')
    expect(answer?.tasks.map(({ status }) => status)).toEqual(['complete', 'complete'])
  })

  it('a restart answers requests that had not started', async () => {
    const { slack, start } = await processes()
    const gate = deferred()
    const close = await start(oneAgent([{ text: 'Never said.', wait: gate.promise }]))
    const say = (text: string) =>
      slack.socket.send(
        'events_api',
        mentionPayload(writtenNow({ text: `<@U0BOT> ${text}`, threadTs: '2.1' })),
      )
    await say('first')
    await say('second')
    await close()
    await start(oneAgent((prompt) => ({ text: `${prompt.length} messages` })))
    const said = () =>
      slack.messages().filter(({ state, text }) => state === 'complete' && text.endsWith('messages'))
    await slack.until(() => said().length === 2)
    expect(said().map(({ text }) => text)).toEqual(['2 messages', '4 messages'])
  })

  it.each([
    ['the rules of its channel', { channels: [{ match: 'general', deny: true }] }, 'No agent answers'],
    ['the limits of its person', { limits: { user: { tokensPerDay: 10 } } }, 'You have used 10 tokens'],
  ])(
    'a restart does not answer a request that %s now reject, and closes it with the reason: %s',
    async (_, refusing, reason) => {
      const { slack, start } = await processes()
      const limits = { limits: { user: { tokensPerDay: 1_000_000 } } }
      const gate = deferred()
      const close = await start(
        oneAgent((prompt) =>
          JSON.stringify(prompt).includes('go')
            ? { text: ['Started ', 'and more'], wait: gate.promise }
            : { text: 'Earlier.', usage: { input: 900, output: 100 } },
        ),
        limits,
      )
      const say = (text: string, ts: string) =>
        slack.socket.send('events_api', mentionPayload(writtenNow({ text: `<@U0BOT> ${text}`, ts })))
      await say('hello', '3.1')
      await slack.until(({ messages }) => messages().some(({ text }) => text === 'Earlier.'))
      await say('go', '3.2')
      await slack.until(({ messages }) => messages().some(({ text }) => text === 'One is working'))
      await close()
      await start(oneAgent([{ text: 'Never said.' }]), refusing)
      await slack.until(({ messages }) => messages().some(({ onlyFor }) => onlyFor === 'U0ANN'))
      expect(slack.messages().find(({ onlyFor }) => onlyFor !== undefined)?.text).toContain(reason)
      expect(slack.messages().some(({ text }) => text.includes('Never said.'))).toBe(false)
      expect(slack.messages().filter(({ state }) => state === 'streaming')).toEqual([])
    },
  )

  it(`a resumed request counts its earlier usage once and is not rejected because of it ${verifies('C66')}`, async () => {
    const { slack, start, spent } = await processes()
    const limits = { limits: { user: { requestsPerMinute: 1, tokensPerDay: 100_000 } } }
    const gate = deferred()
    const usage = { input: 90, output: 10 }
    const close = await start(
      leadAndClerks(() => ({ text: '3', usage, wait: gate.promise })),
      limits,
    )
    await slack.socket.send('events_api', mentionPayload(writtenNow({ text: '<@U0BOT> go', ts: '4.1' })))
    await slack.until(({ messages }) => messages().some(({ tasks }) => tasks[1]?.status === 'in_progress'))
    await close()
    await start(
      leadAndClerks(() => ({ text: '3', usage })),
      limits,
    )
    await slack.until(({ messages }) => messages().some(({ text }) => text.includes('There are 3.')))
    const used = await spent('user:T0ACME:U0ANN')
    // two calls of the lead with 15 tokens each, one of each clerk, and estimates of the two that the restart interrupted
    expect(used).toMatchObject({ requests: 1 })
    expect(used?.tokens).toBeGreaterThan(230)
    expect(used?.tokens).toBeLessThan(2 * 230)
  })

  it('an approval request of an earlier process is closed and posted again', async () => {
    const { slack, start } = await processes()
    const close = await start(careful())
    await slack.socket.send('events_api', mentionPayload(writtenNow({ text: '<@U0BOT> go', ts: '5.1' })))
    const asked = () => slack.messages().filter(({ text }) => text === 'A tool call needs approval.')
    await slack.until(() => asked().length === 1)
    const [first] = asked()
    await close()
    await start(careful())
    await slack.until(() => asked().some(({ ts }) => ts !== first?.ts))
    expect(slack.messages().find(({ ts }) => ts === first?.ts)).toMatchObject({
      text: 'This question was interrupted.',
      blocks: [{ type: 'section' }],
    })
    expect(asked()).toHaveLength(1)
  })

  it('a restart does not repeat an answer', async () => {
    const { slack, start } = await processes()
    const close = await start(oneAgent([{ text: 'Once.' }]))
    const payload = mentionPayload(writtenNow({ text: '<@U0BOT> go' }))
    await slack.socket.send('events_api', payload)
    await slack.until(({ messages }) => messages().some(({ state }) => state === 'complete'))
    await close()
    await start(oneAgent([{ text: 'Twice.' }]))
    await slack.socket.send('events_api', payload)
    expect(slack.messages().filter(({ state }) => state !== 'posted')).toHaveLength(1)
  })
})
