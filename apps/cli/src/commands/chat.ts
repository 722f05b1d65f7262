import { troupeError } from '@troupe/schema'
import type { ChatOptions } from '../chat/chat-context.ts'
import { pipeChat } from '../chat/pipe-chat.ts'
import { sessionTable } from '../chat/conversations.ts'
import { openTeamChat, type TeamChat } from '../chat/team-chat.ts'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { printPlanProblems } from '../reporter/plan-problems.ts'

/** Runs `troupe chat <card>`: a conversation with the agents of a team. Resolves with the exit code. */
export async function chatCommand(
  card: string,
  options: ChatOptions,
  context: CommandContext,
): Promise<number> {
  requireStore(options)
  const teamChat = await openTeamChat(card, options, context)
  try {
    if (printPlanProblems(teamChat.team.host.plan(), options, context) !== undefined) return EXIT.usage
    if (options.list === true) return await listSessions(teamChat, context)
    await chooseSession(teamChat, options)
    if (!context.terminal.interactive) return await pipeChat(teamChat, options, context)
    const { terminalChat } = await import('../chat/terminal-chat.ts')
    return await terminalChat(teamChat, { card, options }, context)
  } finally {
    await teamChat.close()
  }
}

/** Throws `usage_invalid` if an option needs earlier conversations but there is no store. */
function requireStore({ store, session, continue: continueLast, list }: ChatOptions): void {
  if (store !== false) return
  const option = [
    session === undefined ? [] : ['--session'],
    continueLast === true ? ['--continue'] : [],
    list === true ? ['--list'] : [],
  ].flat()[0]
  if (option !== undefined)
    throw troupeError('usage_invalid', `${option} works only with saved runs.`, {
      fix: 'Remove --no-store.',
    })
}

async function listSessions({ team }: TeamChat, { terminal }: CommandContext): Promise<number> {
  const { stdout, outStyle: style } = terminal
  const lines = await sessionTable(team, {
    style,
    columns: stdout.isTTY === true ? stdout.columns : undefined,
  })
  stdout.write(`${lines.join('\n')}\n`)
  return EXIT.completed
}

async function chooseSession(
  teamChat: TeamChat,
  { session, continue: continueLast }: ChatOptions,
): Promise<void> {
  if (session !== undefined) return teamChat.openConversation(session)
  if (continueLast !== true) return
  const { host } = teamChat.team
  const agents = new Set(host.agents().map(({ name }) => name))
  const last = (await host.sessions()).find(({ agent }) => agents.has(agent))
  if (last === undefined)
    throw troupeError('session_unknown', 'There is no saved conversation with an agent of this team.', {
      fix: 'Remove --continue to start one.',
    })
  await teamChat.openConversation(last.sessionId)
}
