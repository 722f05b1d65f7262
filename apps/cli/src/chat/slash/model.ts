import { plainText } from '@troupe/timeline'
import type { ChatContext } from '../chat-context.ts'
import type { SlashCommand } from './slash-command.ts'

/** `/model`: shows the models of the agent, or changes the model of all agents. */
export const MODEL: SlashCommand = {
  name: 'model',
  argument: '[id]',
  description: 'the models of the agent, or one for all agents',
  async run(argument, { teamChat, print }) {
    if (argument === '') return print([modelsOf(teamChat)])
    await teamChat.useModel(argument)
    print([modelsOf(teamChat)])
    if (await isSessionLost(teamChat))
      print(['This agent keeps no runs: the new model does not know what was said before.'])
  },
}

function modelsOf({ team, agent }: ChatContext['teamChat']): string {
  const models = team.host.plan().agents.find(({ name }) => name === agent)?.models ?? []
  return `${plainText(agent)} asks ${models.length === 0 ? 'no model' : models.map((id) => plainText(id)).join(', then ')}.`
}

/** Returns true if the session was only in the memory of the previous host. */
async function isSessionLost({ team, sessionId }: ChatContext['teamChat']): Promise<boolean> {
  return sessionId !== undefined && (await team.host.session(sessionId)) === undefined
}
