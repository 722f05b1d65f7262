import { WebClient } from '@slack/web-api'
import { errorMessage } from '@troupe/schema'
import { boltLogger } from './app/bolt-logger.ts'
import type { SlackConfig } from './slack-config.ts'

/** What was found of one token. */
export interface SlackFinding {
  readonly ok: boolean
  /** One line, without the token. */
  readonly text: string
}

/** The scopes of `manifest.json`. */
export const SCOPES = [
  'app_mentions:read',
  'channels:read',
  'chat:write',
  'commands',
  'files:write',
  'groups:read',
  'im:history',
  'im:read',
] as const

/** Asks Slack whether it takes the tokens, and whether the scopes are there. Starts nothing; never rejects. */
export async function checkSlack(config: SlackConfig): Promise<readonly SlackFinding[]> {
  const options = {
    retryConfig: { retries: 0 },
    logger: boltLogger(ignore, (text) => text),
    ...(config.apiUrl === undefined ? {} : { slackApiUrl: config.apiUrl }),
  }
  const bots = await Promise.all(config.botTokens.map((token) => checkBot(new WebClient(token, options))))
  const { appToken } = config
  if (appToken === undefined) return [...bots.flat(), { ok: true, text: 'Requests are taken over HTTP.' }]
  return [...bots.flat(), await checkSocket(new WebClient(appToken, options))]
}

async function checkBot(client: WebClient): Promise<readonly SlackFinding[]> {
  try {
    const { team = '', team_id: id = '', response_metadata: { scopes } = {} } = await client.auth.test()
    const found = { ok: true, text: `The bot token is one of ${team} (${id}).` }
    const missing = scopes === undefined ? [] : SCOPES.filter((scope) => !scopes.includes(scope))
    if (missing.length === 0) return [found]
    return [
      found,
      { ok: false, text: `Scopes are missing: ${missing.join(', ')}. Add them and install the app again.` },
    ]
  } catch (thrown) {
    return [{ ok: false, text: `The bot token (slack.botToken): ${errorMessage(thrown)}` }]
  }
}

async function checkSocket(client: WebClient): Promise<SlackFinding> {
  try {
    await client.apps.connections.open()
    return { ok: true, text: 'Socket Mode can be connected.' }
  } catch (thrown) {
    return { ok: false, text: `Socket Mode (slack.appToken): ${errorMessage(thrown)}` }
  }
}

function ignore(): void {
  // what goes wrong is a finding
}
