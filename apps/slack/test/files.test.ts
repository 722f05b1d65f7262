import type { JsonObject } from '@troupe/schema'
import { oneAgent } from '@troupe/testkit/teams'
import { ACME, mentionPayload } from '@troupe/testkit/slack'
import { describe, expect, it } from 'vitest'
import { MANIFEST } from '../src/manifest.ts'
import { serveSlack, writtenNow, type SlackRoom } from './support/serve-slack.ts'

interface Part {
  readonly text?: string
  readonly mediaType?: string
  readonly filename?: string
}

/** An agent that answers with the parts of its input, files by their kind. */
const echo = oneAgent((prompt) => {
  const parts = JSON.parse(JSON.stringify(prompt.at(-1)?.content)) as readonly Part[]
  return {
    text: parts.map(({ text, mediaType, filename }) => text ?? `${mediaType} ${filename}`).join('|'),
  }
})

/** Sends a mention with files and returns its answer. */
async function ask(room: SlackRoom, files: readonly JsonObject[]): Promise<string> {
  const before = room.answers().length
  const payload = mentionPayload(writtenNow({ text: '<@U0BOT> Look' }))
  const event = { ...(payload['event'] as JsonObject), files: [...files] }
  await room.slack.socket.send('events_api', { ...payload, event })
  await room.answered(before + 1)
  return room.answers()[before]?.text ?? ''
}

describe('files of a message', () => {
  it('files of a message reach the agent, text as text and pictures unchanged', async () => {
    const room = await serveSlack(echo)
    const text = await ask(room, [
      room.slack.offer({ name: 'notes.csv', mimetype: 'text/csv', content: 'a,b' }),
      room.slack.offer({ name: 'plan.png', mimetype: 'image/png', content: new Uint8Array([137, 80, 78]) }),
    ])
    expect(text).toBe('Look|notes.csv:\n\na,b|image/png plan.png')
    expect(room.errors).toEqual([])
  })

  it('unsupported files are mentioned, and the rest of the message is answered', async () => {
    const room = await serveSlack(echo)
    const zip = { name: '<a>.zip', mimetype: 'application/zip', content: new Uint8Array([80, 75, 0, 4]) }
    expect(await ask(room, [room.slack.offer(zip)])).toBe(
      ':warning: &lt;a&gt;.zip was not read: it is neither text, an image nor a PDF.\n\nLook',
    )
  })

  it('files without a URL are looked up, and not read beyond 20 MiB', async () => {
    const room = await serveSlack(echo)
    const {
      url_private: _,
      url_private_download: __,
      ...hidden
    } = room.slack.offer({
      name: 'far.txt',
      mimetype: 'text/plain',
      content: 'far away',
    })
    const large = { ...room.slack.offer({ name: 'l.txt', mimetype: 'text/plain', content: 'x' }), size: 3e7 }
    expect(await ask(room, [hidden, large])).toBe(
      ':warning: l.txt was not read: the files are larger than 20 MiB.\n\nLook|far.txt:\n\nfar away',
    )
  })

  it('files are fetched only from Slack, so no other server receives the token', async () => {
    const room = await serveSlack(echo)
    const file = room.slack.offer({ name: 'a.txt', mimetype: 'text/plain', content: 'a' })
    const elsewhere = { ...file, url_private_download: 'https://slack.com.example/a.txt' }
    expect(await ask(room, [elsewhere])).toContain('its URL does not belong to Slack.')
  })

  it('files that the app may not read are mentioned', async () => {
    const scopes = MANIFEST.oauth_config.scopes.bot.filter((scope) => scope !== 'files:read')
    const room = await serveSlack({ ...echo, slack: { workspaces: [{ ...ACME, scopes }] } })
    const file = room.slack.offer({ name: 'a.txt', mimetype: 'text/plain', content: 'a' })
    expect(await ask(room, [file])).toContain('the app needs the scope files:read.')
  })

  it('a retry sends the files of the message again', async () => {
    const room = await serveSlack(echo)
    await ask(room, [room.slack.offer({ name: 'a.txt', mimetype: 'text/plain', content: 'abc' })])
    const [first] = room.answers()
    if (first !== undefined) await room.click(first, 'troupe_retry')
    await room.answered(2)
    expect(room.answers()[1]?.text).toContain('abc')
  })
})
