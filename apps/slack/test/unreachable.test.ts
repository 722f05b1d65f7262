import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { WebClient } from '@slack/web-api'
import { errorMessage } from '@troupe/schema'
import { fakeClock } from '@troupe/testkit/internal'
import { expect, it } from 'vitest'
import { createClientOptions } from '../src/context/client-options.ts'
import { openWorkspaces } from '../src/context/workspaces.ts'
import { checkSlack, readSlackConfig } from '../src/index.ts'

/** Returns the configuration of an app for an address that refuses connections, and its host. */
async function unreachable(): Promise<{
  readonly host: string
  readonly config: ReturnType<typeof readSlackConfig>
}> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  server.close()
  await once(server, 'close')
  const botToken = 'xoxb-acme-000000000000'
  return {
    host,
    config: readSlackConfig({ botToken, appToken: 'xapp-1-0000', apiUrl: `http://${host}/api/` }),
  }
}

it('an unreachable Slack is reported with host and cause, at most once a minute', async () => {
  const { host, config } = await unreachable()
  const clock = fakeClock()
  const lines: string[] = []
  const onError = (thrown: unknown): void => void lines.push(errorMessage(thrown))
  const { web } = createClientOptions({ config, clock, hide: (text) => text, onError })
  const options = { ...web, retryConfig: { ...web.retryConfig, minTimeout: 1, maxTimeout: 1 } }
  const call = () => new WebClient('xoxb-acme-000000000000', options).auth.test()
  await expect(call()).rejects.toThrow('ECONNREFUSED')
  const line = `cannot reach ${host}: connect ECONNREFUSED ${host}; it is tried again, and reported once a minute`
  expect(lines).toEqual([line])
  await clock.advance(60_000)
  await expect(call()).rejects.toThrow('ECONNREFUSED')
  expect(lines).toEqual([line, line])
})

it('each attempt but the last one is reported, and the failure names host and cause', async () => {
  const { host, config } = await unreachable()
  const lines: string[] = []
  const onError = (thrown: unknown): void => void lines.push(errorMessage(thrown))
  // a minute passes after each report
  const clock = { ...fakeClock(), monotonic: () => lines.length * 60_000 }
  const { web } = createClientOptions({ config, clock, hide: (text) => text, onError })
  const options = { ...web, retryConfig: { ...web.retryConfig, retries: 3, minTimeout: 1, maxTimeout: 1 } }
  await expect(openWorkspaces(config.botTokens, options)).rejects.toMatchObject({
    code: 'slack_trouble',
    message: `The app cannot reach ${host}: connect ECONNREFUSED ${host}.`,
  })
  expect(lines).toHaveLength(3)
})

it('the check of an unreachable Slack names the host and the cause', async () => {
  const { host, config } = await unreachable()
  expect(await checkSlack(config)).toEqual([
    {
      ok: false,
      text: `The bot token (slack.botToken): cannot reach ${host}: connect ECONNREFUSED ${host}`,
    },
    { ok: false, text: `Socket Mode (slack.appToken): cannot reach ${host}: connect ECONNREFUSED ${host}` },
  ])
})
