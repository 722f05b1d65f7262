import { WebClient } from '@slack/web-api'
import { callFailureText, fetchSlack } from './context/client-options.ts'
import { boltLogger } from './context/slack-api.ts'
import { MANIFEST } from './manifest.ts'
import type { SlackConfig } from './config/slack-config.ts'

/** The result of one check. */
export interface SlackFinding {
  readonly ok: boolean
  /** One line, without the token. */
  readonly text: string
}

/** Checks the tokens and their scopes with Slack. Starts nothing and never rejects. */
export async function checkSlack(config: SlackConfig): Promise<readonly SlackFinding[]> {
  const options = {
    retryConfig: { retries: 0 },
    logger: boltLogger(ignore),
    fetch: fetchSlack,
    ...(config.apiUrl === undefined ? {} : { slackApiUrl: config.apiUrl }),
  }
  const bots = await Promise.all(config.botTokens.map((token) => checkBot(new WebClient(token, options))))
  const { appToken } = config
  if (appToken === undefined)
    return [...bots.flat(), { ok: true, text: 'The app receives requests over HTTP.' }]
  return [...bots.flat(), await checkSocket(new WebClient(appToken, options))]
}

async function checkBot(client: WebClient): Promise<readonly SlackFinding[]> {
  try {
    const { team = '', team_id: id = '', response_metadata: { scopes } = {} } = await client.auth.test()
    const found = { ok: true, text: `The bot token belongs to the workspace ${team} (${id}).` }
    return [found, ...(scopes === undefined ? [] : checkScopes(scopes))]
  } catch (thrown) {
    return [{ ok: false, text: `The bot token (slack.botToken): ${callFailureText(thrown)}` }]
  }
}

/** Reports missing scopes. A missing optional scope is not an error. */
function checkScopes(granted: readonly string[]): readonly SlackFinding[] {
  const { bot, bot_optional: optional } = MANIFEST.oauth_config.scopes
  const missing = bot.filter((scope) => !granted.includes(scope))
  const missingOptional = optional.filter((scope) => !granted.includes(scope))
  const again = 'Add them under OAuth & Permissions and reinstall the app.'
  return [
    ...(missing.length === 0 ? [] : [{ ok: false, text: `Missing scopes: ${missing.join(', ')}. ${again}` }]),
    ...(missingOptional.length === 0
      ? []
      : [
          {
            ok: true,
            text: `Without ${missingOptional.join(', ')} messages may stay unfinished in Slack if the app is killed.`,
          },
        ]),
  ]
}

async function checkSocket(client: WebClient): Promise<SlackFinding> {
  try {
    await client.apps.connections.open()
    return { ok: true, text: 'Socket Mode can connect.' }
  } catch (thrown) {
    return { ok: false, text: `Socket Mode (slack.appToken): ${callFailureText(thrown)}` }
  }
}

function ignore(): void {
  // Failures are returned as findings.
}
