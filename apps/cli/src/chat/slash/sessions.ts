import { sessionTable } from '../session-table.ts'
import { recap } from '../recap.ts'
import type { SlashCommand } from './slash-command.ts'

/** `/sessions`: lists earlier conversations, or continues one of them. */
export const SESSIONS: SlashCommand = {
  name: 'sessions',
  argument: '[id]',
  description: 'earlier conversations, or go on with that one',
  async run(argument, { teamChat, print, context }) {
    const { style, stderr } = context.terminal
    const columns = stderr.isTTY === true ? stderr.columns : undefined
    if (argument === '') return print(await sessionTable(teamChat.team, { style, columns }))
    await teamChat.openConversation(argument)
    print(recap(teamChat, context.terminal))
  },
}
