import { plainText } from '@troupe/timeline'
import { tableLines } from '../../reporter/table.ts'
import type { Chat } from '../chat.ts'
import type { SlashCommand } from './slash-command.ts'

const COLUMNS = ['', 'agent', 'description'].map((title) => ({ title }))

/** `/agent`: lists the agents, or switches to one. */
export const AGENT: SlashCommand = {
  name: 'agent',
  argument: '[name]',
  description: 'the agents of the team, or talk to that one',
  run(argument, { talk, tell, context }) {
    if (argument === '') return tell(agentTable(talk))
    talk.turnTo(argument)
    const { dim } = context.terminal.style
    const begun =
      talk.turns.length === 0 ? 'a new conversation' : `going on behind ${talk.turns.length} turns`
    tell([dim(`Talking to ${plainText(talk.agent)}: ${begun}.`)])
  },
  candidates: ({ talk }) => talk.team.host.agents().map(({ name }) => name),
}

function agentTable(talk: Chat['talk']): readonly string[] {
  const rows = talk.team.host
    .agents()
    .map(({ name, description }) => [
      name === talk.agent ? '*' : ' ',
      plainText(name),
      plainText(description ?? '', { max: 60 }),
    ])
  return tableLines(COLUMNS, rows)
}
