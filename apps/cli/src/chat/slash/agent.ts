import { plainText } from '@troupe/timeline'
import { tableLines } from '../../reporter/table.ts'
import type { ChatContext } from '../chat-context.ts'
import type { SlashCommand } from './slash-command.ts'

const COLUMNS = ['', 'agent', 'description'].map((title) => ({ title }))

/** `/agent`: lists the agents, or switches to one. */
export const AGENT: SlashCommand = {
  name: 'agent',
  argument: '[name]',
  description: 'the agents of the team, or talk to that one',
  run(argument, { teamChat, print, context }) {
    if (argument === '') return print(agentTable(teamChat))
    teamChat.switchAgent(argument)
    const { dim } = context.terminal.style
    const conversationText =
      teamChat.turns.length === 0 ? 'a new conversation' : `going on behind ${teamChat.turns.length} turns`
    print([dim(`Talking to ${plainText(teamChat.agent)}: ${conversationText}.`)])
  },
  candidates: ({ teamChat }) => teamChat.team.host.agents().map(({ name }) => name),
}

function agentTable(talk: ChatContext['teamChat']): readonly string[] {
  const rows = talk.team.host
    .agents()
    .map(({ name, description }) => [
      name === talk.agent ? '*' : ' ',
      plainText(name),
      plainText(description ?? '', { max: 60 }),
    ])
  return tableLines(COLUMNS, rows)
}
