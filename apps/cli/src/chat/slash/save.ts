import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { errorMessage, troupeError } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import { outputText } from '../../reporter/answer.ts'
import type { ChatTurn } from '../conversations.ts'
import type { TeamChat } from '../team-chat.ts'
import type { SlashCommand } from './slash-command.ts'

/** `/save`: writes the conversation to a Markdown file. */
export const SAVE: SlashCommand = {
  name: 'save',
  argument: '[file]',
  description: 'write the conversation to a new Markdown file',
  async run(argument, { teamChat, print, context }) {
    if (teamChat.turns.length === 0)
      throw troupeError('usage_invalid', 'Nothing has been said yet.', { fix: 'Write a message.' })
    const name = argument === '' ? `chat-${fileName(teamChat.sessionId ?? teamChat.agent)}.md` : argument
    await write(resolve(context.cwd, name), transcript(teamChat))
    print([`Saved to ${plainText(name)}.`])
  },
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' })
  } catch (cause) {
    throw troupeError('usage_invalid', `The conversation cannot be saved: ${errorMessage(cause)}.`, {
      fix: 'Name another file: /save notes.md.',
      cause,
    })
  }
}

/** Replaces the characters of an id that are not safe in a file name. */
function fileName(id: string): string {
  return id.replaceAll(/[^\w-]+/gu, '-').slice(0, 80)
}

function transcript({ agent, turns }: TeamChat): string {
  return [`# Conversation with ${agent}`, ...turns.flatMap((turn) => parts(turn, agent))]
    .join('\n\n')
    .concat('\n')
}

function parts({ message, outcome, output }: ChatTurn, agent: string): readonly string[] {
  const said = outputText(output).trim()
  const answer = output.value === undefined ? said : `\`\`\`json\n${said}\n\`\`\``
  return [
    '## You',
    message.trim(),
    `## ${agent}`,
    answer === '' ? `_There was no answer: ${outcome}._` : answer,
  ]
}
