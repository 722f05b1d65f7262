import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { mentionPayload, startFakeSlack, type FakeSlack } from '@troupe/testkit/slack'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startProgram } from './start-program.ts'
import { project } from './team.ts'

/** Returns a folder with an agent that repeats its input, and a configuration for a fake Slack. */
async function team(slack: FakeSlack, botToken = 'xoxb-acme-000000000000'): Promise<string> {
  const { apiUrl, appToken } = slack
  const folder = await project({
    'team/parrot.md': '---\nname: Parrot\ndescription: Repeats.\nmodel: passthrough\n---\nRepeat.\n',
    'troupe.json': JSON.stringify({ slack: { botToken, appToken, apiUrl } }),
  })
  return folder.path
}

async function fakeSlack(): Promise<FakeSlack> {
  const slack = await startFakeSlack()
  onTestFinished(() => slack.close())
  return slack
}

describe('troupe slack', { timeout: 60_000 }, () => {
  it('troupe slack answers in a thread until it is stopped', async () => {
    const slack = await fakeSlack()
    const program = startProgram(['slack', 'team', '--store', 'runs.db'], await team(slack))
    await program.until(() => program.out().includes('troupe is connected to t0acme (T0ACME)'))
    await slack.socket.send(
      'events_api',
      mentionPayload({
        team: 'T0ACME',
        channel: 'C0GENERAL',
        user: 'U0ANN',
        text: '<@U0BOT> hello',
        eventId: 'Ev1',
        ts: '1.1',
      }),
    )
    await slack.until(({ messages }) => messages().some(({ state }) => state === 'complete'))
    expect(slack.messages().find(({ state }) => state === 'complete')).toMatchObject({
      threadTs: '1.1',
      text: 'hello',
    })
    program.process.kill('SIGTERM')
    expect(await program.ends()).toEqual([143, null])
  })

  it('troupe slack can be stopped while Slack does not respond', async () => {
    const slack = await fakeSlack()
    const silent = createServer()
    const asked = once(silent, 'connection')
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as AddressInfo
    const folder = await team({ ...slack, apiUrl: `http://127.0.0.1:${port}/api/` })
    const program = startProgram(['slack', 'team', '--no-store'], folder)
    await asked
    await program.says('Connecting to Slack.\n')
    program.process.kill('SIGTERM')
    expect(await program.ends()).toEqual([143, null])
  })

  it('troupe slack --check checks the tokens of the app', async () => {
    const slack = await fakeSlack()
    const good = startProgram(['slack', 'team', '--check', '--no-store'], await team(slack))
    expect(await good.ends()).toEqual([0, null])
    expect(good.out()).toBe(
      'ok      The bot token belongs to the workspace t0acme (T0ACME).\nok      Socket Mode can connect.\n',
    )
    const wrong = await team(slack, 'xoxb-wrong-00000000000')
    const bad = startProgram(['slack', 'team', '--check', '--no-store'], wrong)
    expect(await bad.ends()).toEqual([1, null])
    expect(bad.out()).toContain('problem The bot token (slack.botToken): An API error occurred: invalid_auth')
  })
})
