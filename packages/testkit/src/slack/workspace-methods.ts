import { isDirect } from './fake-workspace.ts'
import { textOf, type SlackMethod } from './method-call.ts'
import { refuse } from './slack-refusal.ts'

/** Methods about the app's identity and its channels. */
export const workspaceMethods: Readonly<Record<string, SlackMethod>> = {
  'auth.test': ({ workspace: { team, botUser, botId } }) => ({
    team_id: team,
    team: team.toLowerCase(),
    user_id: botUser,
    bot_id: botId,
    url: 'https://fake.slack.test/',
  }),
  'conversations.info': ({ workspace, args }) => {
    const channel = workspace.channels.find(({ id }) => id === textOf(args, 'channel'))
    if (channel === undefined) return refuse('channel_not_found')
    return { channel: { id: channel.id, name: channel.name ?? '', is_im: isDirect(channel.id) } }
  },
}
