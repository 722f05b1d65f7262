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
  it('the check accepts an app made from the manifest', async () => {
    expect(await check([...bot, ...optional])).toEqual([
      { ok: true, text: 'The bot token belongs to the workspace t0acme (T0ACME).' },
      { ok: true, text: 'Socket Mode can connect.' },
    ])
  })

  it('the check lists missing scopes, and the effect of missing optional ones', async () => {
    const findings = await check(bot.filter((scope) => scope !== 'files:read'))
    expect(findings.slice(1, 3)).toEqual([
      {
        ok: false,
        text: 'Missing scopes: files:read. Add them under OAuth & Permissions and reinstall the app.',
      },
      {
        ok: true,
        text: 'Without channels:history, groups:history messages may stay unfinished in Slack if the app is killed.',
      },
    ])
  })

  it('the check reports HTTP mode and the invalid token', async () => {
    expect((await check([...bot, ...optional], { signingSecret: 'secret' })).at(-1)).toEqual({
      ok: true,
      text: 'The app receives requests over HTTP.',
    })
    const [, socket] = await check([...bot, ...optional], { appToken: 'xapp-wrong' })
    expect(socket).toMatchObject({ ok: false })
    expect(socket?.text).toContain('slack.appToken')
    expect(socket?.text).not.toContain('xapp-wrong')
  })
})

describe('the form of a token', () => {
  const written = { botToken: ['${ACME_TOKEN}', '${SLACK_BOT_TOKEN}'], appToken: '${SLACK_APP_TOKEN}' }
  const config = { botToken: ['xoxb-acme-1', 'xoxb-other-1'], appToken: 'xapp-1' }

  it('a token with a character that no header can contain is refused by the name of its variable', () => {
    expect(() =>
      readSlackConfig({ ...config, botToken: ['xoxb-acme-1', 'xoxb-secret…'] }, written),
    ).toThrowError(
      expect.objectContaining({
        code: 'config_invalid',
        message: 'SLACK_BOT_TOKEN is not a bot token: it contains `…`.',
      }),
    )
    expect(() => readSlackConfig({ ...config, appToken: 'xapp-1 2' }, written)).toThrow(
      'SLACK_APP_TOKEN is not an app-level token: it contains white space.',
    )
    expect(() => readSlackConfig({ ...config, appToken: 'xapp-1\u200b' }, written)).toThrow(
      'SLACK_APP_TOKEN is not an app-level token: it contains `\\u{200b}`.',
    )
    expect(readSlackConfig(config, written)).toMatchObject({ botTokens: config.botToken, appToken: 'xapp-1' })
  })

  it('a token with another beginning is refused, by its key if it is written in the file', () => {
    expect(() => readSlackConfig({ ...config, appToken: 'xoxb-1' }, written)).toThrow(
      'SLACK_APP_TOKEN is not an app-level token: it does not start with `xapp-`.',
    )
    expect(() => readSlackConfig({ botToken: 'secret', appToken: 'xapp-1' })).toThrow(
      'slack.botToken is not a bot token: it does not start with `xoxb-`.',
    )
  })
})
