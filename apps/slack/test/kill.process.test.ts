import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { tempProject } from '@troupe/testkit/internal'
import {
  commandPayload,
  mentionPayload,
  startFakeSlack,
  type FakeMessage,
  type FakeSlack,
} from '@troupe/testkit/slack'
import { bundleForTests, type TestBundle } from '@troupe/tooling/bundle-for-tests'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { writtenNow } from './support/serve-slack.ts'

let bundle: TestBundle | undefined
beforeAll(async () => {
  bundle = await bundleForTests(import.meta.dirname, { program: 'kill/slack-program.ts' })
})
afterAll(() => bundle?.remove())

/** Starts the program. Returns a function that kills it. */
function start(slack: FakeSlack, folder: string, answer?: string): () => Promise<void> {
  const given = [folder, slack.apiUrl, slack.appToken, ...(answer === undefined ? [] : [answer])]
  const program = join(bundle?.folder ?? '', 'dist/program.js')
  const child = spawn(process.execPath, [program, ...given], { stdio: 'inherit' })
  const exited = once(child, 'exit')
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  onTestFinished(kill)
  return kill
}

async function lab(): Promise<{ readonly slack: FakeSlack; readonly folder: string }> {
  const slack = await startFakeSlack()
  const project = await tempProject({})
  onTestFinished(async () => {
    await slack.close()
    await project.remove()
  })
  return { slack, folder: project.path }
}

/** Returns a fake Slack that kills a process after a method has taken effect and before the process receives the response. The next process answers. */
async function killAfter(method: string, answer?: string): Promise<FakeSlack> {
  const { slack, folder } = await lab()
  const kill = start(slack, folder, answer)
  await slack.socket.connected()
  slack.hold(method)
  await slack.socket.send('events_api', mentionPayload(writtenNow({ text: '<@U0BOT> go', ts: '3.1' })))
  await slack.until(({ calls }) => calls.some((call) => call.method === method))
  await kill()
  const earlier = slack.calls.length
  start(slack, folder, 'Here it is.')
  await slack.until(({ calls }) =>
    calls.slice(earlier).some((call) => call.method === 'conversations.replies'),
  )
  return slack
}

/** Waits until no message shows that it is working. */
async function allClosed(slack: FakeSlack): Promise<void> {
  await slack.until(({ messages }) =>
    messages().every(({ state, text }) => state !== 'streaming' && text !== 'One is working'),
  )
}

function complete({ messages }: FakeSlack, text: string): readonly FakeMessage[] {
  return messages().filter((message) => message.state === 'complete' && message.text === text)
}

describe('a process that is killed', { timeout: 60_000 }, () => {
  it('a message acknowledged before a kill is answered once by the next process', async () => {
    const { slack, folder } = await lab()
    const kill = start(slack, folder)
    const payload = mentionPayload(writtenNow({ text: '<@U0BOT> go', ts: '1.1' }))
    await slack.socket.send('events_api', payload)
    await kill()
    start(slack, folder, 'Here it is.')
    await slack.until(() => complete(slack, 'Here it is.').length === 1)
    await slack.socket.send('events_api', payload)
    await slack.until(({ messages }) => messages().every(({ state }) => state !== 'streaming'))
    expect(complete(slack, 'Here it is.')).toMatchObject([{ threadTs: '1.1' }])
  })

  it('an answer cut off by a kill is closed and answered below', async () => {
    const { slack, folder } = await lab()
    const kill = start(slack, folder)
    await slack.socket.send('events_api', mentionPayload(writtenNow({ text: '<@U0BOT> go', ts: '2.1' })))
    await slack.until(({ messages }) => messages().some(({ text }) => text === 'I begin'))
    await kill()
    start(slack, folder, 'Here it is.')
    await slack.until(() => complete(slack, 'Here it is.').length === 1)
    await slack.until(({ messages }) => messages().every(({ text }) => text !== 'One is working'))
    const cut = slack.messages().filter(({ text }) => text.includes('This answer was interrupted.'))
    expect(cut).toMatchObject([{ state: 'complete', threadTs: '2.1' }])
    expect(cut[0]?.text.startsWith('I begin')).toBe(true)
  })

  it('a kill between starting a message and storing its timestamp leaves no open message', async () => {
    const slack = await killAfter('chat.startStream')
    await slack.until(() => complete(slack, 'Here it is.').length === 1)
    await allClosed(slack)
    expect(slack.messages().filter(({ text }) => text.includes('This answer was interrupted.'))).toHaveLength(
      1,
    )
  })

  it('a kill between posting the buttons and storing their timestamp leaves no buttons', async () => {
    const slack = await killAfter('chat.postMessage')
    await slack.until(() => complete(slack, 'Here it is.').length === 1)
    await allClosed(slack)
    expect(slack.messages()).toHaveLength(1)
  })

  it('a kill between finishing a message and storing that does not repeat the answer', async () => {
    const slack = await killAfter('chat.stopStream', 'Here it is.')
    // in a thread, a new question is answered after all earlier ones
    const next = mentionPayload(writtenNow({ text: '<@U0BOT> and now?', threadTs: '3.1' }))
    await slack.socket.send('events_api', next)
    await slack.until(() => complete(slack, 'Here it is.').length === 2)
    await allClosed(slack)
    expect(slack.messages()).toHaveLength(2)
  })

  it("a kill between starting a command's thread and storing it starts no second thread", async () => {
    const { slack, folder } = await lab()
    const kill = start(slack, folder)
    await slack.socket.connected()
    slack.hold('chat.postMessage')
    await slack.socket.send(
      'slash_commands',
      commandPayload({
        team: 'T0ACME',
        channel: 'C0GENERAL',
        user: 'U0ANN',
        command: '/troupe',
        text: 'go',
        triggerId: slack.trigger(),
        responseUrl: slack.responseUrl,
      }),
    )
    await slack.until(({ messages }) => messages().length === 1)
    await kill()
    start(slack, folder, 'Here it is.')
    await slack.until(() => complete(slack, 'Here it is.').length === 1)
    await allClosed(slack)
    expect(slack.messages().filter(({ text }) => text.includes('asked: go'))).toHaveLength(1)
  })
})
