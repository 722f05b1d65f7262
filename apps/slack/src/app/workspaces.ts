import { WebClient, type WebClientOptions } from '@slack/web-api'
import { errorMessage, troupeError } from '@troupe/schema'

/** A workspace that the app is installed in. */
export interface Workspace {
  readonly team: string
  readonly name: string
  readonly botToken: string
  readonly botUser: string
  readonly botId: string
  readonly client: WebClient
}

/** Asks Slack which workspace each token is of. Throws `slack_refused` for one that is no good. */
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
    throw troupeError('slack_refused', `Slack does not take the bot token: ${errorMessage(cause)}.`, {
      cause,
    })
  }
}
