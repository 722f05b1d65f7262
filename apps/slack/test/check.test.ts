import { ACME, startFakeSlack } from '@troupe/testkit/slack'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkSlack, readSlackConfig } from '../src/index.ts'
import { MANIFEST } from '../src/manifest.ts'

const { bot, bot_optional: optional } = MANIFEST.oauth_config.scopes

async function check(
  scopes: readonly string[],
  more: { readonly appToken?: string; readonly signingSecret?: string } = {},
): ReturnType<typeof checkSlack> {
  const slack = await startFakeSlack({ workspaces: [{ ...ACME, scopes }] })
  onTestFinished(() => slack.close())
  const way = 'signingSecret' in more ? {} : { appToken: slack.appToken }
  const { botToken } = ACME
  return checkSlack(readSlackConfig({ botToken, apiUrl: slack.apiUrl, ...way, ...more }))
}

describe('the check', () => {
  it('finds an app that was made of the manifest good', async () => {
    expect(await check([...bot, ...optional])).toEqual([
      { ok: true, text: 'The bot token is one of t0acme (T0ACME).' },
      { ok: true, text: 'Socket Mode can be connected.' },
    ])
  })

  it('names scopes that are missing, and says what goes without the optional ones', async () => {
    const findings = await check(bot.filter((scope) => scope !== 'files:read'))
    expect(findings.slice(1, 3)).toEqual([
      {
        ok: false,
        text: 'Scopes are missing: files:read. Add them under OAuth & Permissions and install the app again.',
      },
      {
        ok: true,
        text: 'Without channels:history, groups:history messages may be left open when the app is killed.',
      },
    ])
  })

  it('says that requests come over HTTP, and which token is no good', async () => {
    expect((await check([...bot, ...optional], { signingSecret: 'secret' })).at(-1)).toEqual({
      ok: true,
      text: 'Requests are taken over HTTP.',
    })
    const [, socket] = await check([...bot, ...optional], { appToken: 'xapp-wrong' })
    expect(socket).toMatchObject({ ok: false })
    expect(socket?.text).toContain('slack.appToken')
    expect(socket?.text).not.toContain('xapp-wrong')
  })
})
