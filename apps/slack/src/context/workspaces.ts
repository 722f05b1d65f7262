import { WebAPIRequestError, WebClient, type WebClientOptions } from '@slack/web-api'
import { troupeError } from '@troupe/schema'
import { callFailureText } from './client-options.ts'

/** A workspace in which the app is installed. */
export interface Workspace {
  readonly team: string
  readonly name: string
  readonly botToken: string
  readonly botUser: string
  readonly botId: string
  readonly client: WebClient
}

/**
 * Looks up the workspace of each token. Throws `slack_refused` if Slack rejects one, and `slack_trouble` if
 * Slack cannot be reached.
 */
export async function openWorkspaces(
  botTokens: readonly string[],
  clientOptions: WebClientOptions,
): Promise<ReadonlyMap<string, Workspace>> {
  const opened = await Promise.all(botTokens.map((token) => openWorkspace(token, clientOptions)))
  return new Map(opened.map((workspace) => [workspace.team, workspace]))
}

async function openWorkspace(botToken: string, clientOptions: WebClientOptions): Promise<Workspace> {
  const client = new WebClient(botToken, clientOptions)
  try {
    const {
      team_id: team = '',
      team: name = team,
      user_id: botUser = '',
      bot_id: botId = '',
    } = await client.auth.test()
    return { team, name, botToken, botUser, botId, client }
  } catch (cause) {
    const text = callFailureText(cause)
    throw cause instanceof WebAPIRequestError
      ? troupeError('slack_trouble', `The app ${text}.`, { cause })
      : troupeError('slack_refused', `Slack rejected the bot token: ${text}.`, { cause })
  }
}
