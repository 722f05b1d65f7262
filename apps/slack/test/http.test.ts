import type { JsonObject } from '@troupe/schema'
import { oneAgent } from '@troupe/testkit/teams'
import { commandPayload, mentionPayload } from '@troupe/testkit/slack'
import { describe, expect, it } from 'vitest'
import { serveSlack, writtenNow, type SlackRoom } from './support/serve-slack.ts'

const hello = oneAgent(() => ({ text: 'Hello.' }))

function mention(): JsonObject {
  return mentionPayload(writtenNow({ text: '<@U0BOT> hello' }))
}

/** Posts to the app as Slack does and returns the status. */
async function post(
  { slack, app }: SlackRoom,
  body: JsonObject,
  options?: Parameters<SlackRoom['slack']['post']>[2],
): Promise<number> {
  const { status } = await slack.post(app.url ?? '', body, options)
  return status
}

const nowInSeconds = (): number => Math.floor(Date.now() / 1000)

describe('requests over HTTP', () => {
  it('a signed request is answered, and once if it is sent again', async () => {
    const room = await serveSlack({ ...hello, http: true })
    const body = mention()
    const statuses = await Promise.all(
      [undefined, 1, 2, 3].map((retry) => post(room, body, retry === undefined ? {} : { retry })),
    )
    expect(statuses).toEqual([200, 200, 200, 200])
    await room.answered(1)
    expect(await post(room, body, { retry: 4 })).toBe(200)
    expect(room.answers()).toHaveLength(1)
  })

  it('a retried request is answered if the first one never arrived', async () => {
    const room = await serveSlack({ ...hello, http: true })
    await post(room, mention(), { retry: 2 })
    expect(await room.answered(1)).toHaveLength(1)
  })

  it('requests with a forged, old or future signature are rejected', async () => {
    const room = await serveSlack({ ...hello, http: true })
    expect(await post(room, mention(), { signature: `v0=${'0'.repeat(64)}` })).toBe(401)
    expect(await post(room, mention(), { signature: 'v1=1' })).toBe(401)
    expect(await post(room, mention(), { timestamp: nowInSeconds() - 301 })).toBe(401)
    expect(await post(room, mention(), { timestamp: nowInSeconds() + 360 })).toBe(401)
    expect(room.state.open()).toEqual([])
    expect(room.slack.messages()).toEqual([])
  })

  it('the app answers the URL verification of Slack', async () => {
    const room = await serveSlack({ ...hello, http: true })
    const response = await room.slack.post(room.app.url ?? '', { type: 'url_verification', challenge: 'abc' })
    expect(await response.text()).toContain('abc')
  })

  it('slash commands are accepted over HTTP', async () => {
    const room = await serveSlack({ ...hello, http: true })
    const body = commandPayload({
      team: 'T0ACME',
      channel: 'C0GENERAL',
      user: 'U0ANN',
      command: '/troupe',
      text: 'hello',
      triggerId: room.slack.trigger(),
      responseUrl: room.slack.responseUrl,
    })
    expect(await post(room, body, { form: 'fields' })).toBe(200)
    await room.answered(1)
  })
})
