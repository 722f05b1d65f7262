import { plainText } from '@troupe/timeline'
import type { Chat } from '../chat.ts'
import type { SlashCommand } from './slash-command.ts'

/** `/model`: shows the models of the agent, or changes the model of all agents. */
export const MODEL: SlashCommand = {
  name: 'model',
  argument: '[id]',
  description: 'the models of the agent, or one for all agents',
  async run(argument, { talk, tell }) {
    if (argument === '') return tell([modelsOf(talk)])
    await talk.useModel(argument)
    tell([modelsOf(talk)])
    if (await isForgotten(talk))
      tell(['This agent keeps no runs: the new model does not know what was said before.'])
  },
}

function modelsOf({ team, agent }: Chat['talk']): string {
  const models = team.host.plan().agents.find(({ name }) => name === agent)?.models ?? []
  return `${plainText(agent)} asks ${models.length === 0 ? 'no model' : models.map((id) => plainText(id)).join(', then ')}.`
}

/** Returns true if the session was only in the memory of the previous host. */
async function isForgotten({ team, sessionId }: Chat['talk']): Promise<boolean> {
  return sessionId !== undefined && (await team.host.session(sessionId)) === undefined
}
