import type { Chat } from './chat.ts'
import { readSlash } from './slash/read-slash.ts'
import { tellThrown } from '../tell/tell-thrown.ts'

/** Does what was typed: a turn, or a command. What goes wrong is told, and the chat goes on. The answer is the exit code of what it did, where it is not 0. */
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
