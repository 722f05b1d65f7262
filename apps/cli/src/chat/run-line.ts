import type { ChatContext } from './chat-context.ts'
import { readSlash } from './slash/read-slash.ts'
import { printThrown } from '../reporter/failure.ts'

/**
 * Runs a message or a command. Prints an error instead of throwing it, so that the chat continues. Returns
 * the exit code of the error.
 */
export async function runLine(line: string, chat: ChatContext): Promise<number | undefined> {
  try {
    const typed = readSlash(line)
    if (typed.kind === 'command') await typed.command.run(typed.argument, chat)
    else await chat.runTurn((surface) => chat.teamChat.send(typed.text, surface))
    return undefined
  } catch (thrown) {
    return printThrown(thrown, chat.options, chat.context)
  }
}
