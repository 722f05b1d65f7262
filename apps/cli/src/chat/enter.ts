import type { Chat } from './chat.ts'
import { readSlash } from './slash/read-slash.ts'
import { tellThrown } from '../tell/tell-thrown.ts'

/**
 * Runs a message or a command. Prints an error instead of throwing it, so that the chat continues. Returns
 * the exit code of the error.
 */
export async function enter(line: string, chat: Chat): Promise<number | undefined> {
  try {
    const typed = readSlash(line)
    if (typed.kind === 'command') await typed.command.run(typed.argument, chat)
    else await chat.take((surface) => chat.talk.say(typed.text, surface))
    return undefined
  } catch (thrown) {
    return tellThrown(thrown, chat.options, chat.context)
  }
}
