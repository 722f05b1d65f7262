import { troupeError } from '@troupe/schema'
import { closest } from '@troupe/schema/text'
import type { ChatContext, SlashCommand } from './chat-context.ts'
import { printThrown } from '../reporter/end.ts'
import { attachFiles, imagePaths } from './attach.ts'
import { SLASH_COMMANDS } from './slash-commands.ts'
import type { TeamChat } from './team-chat.ts'

/**
 * Runs a message or a command. Prints an error instead of throwing it, so that the chat continues. Returns
 * the exit code of the error.
 */
export async function runLine(line: string, chat: ChatContext): Promise<number | undefined> {
  try {
    const input = readSlash(line)
    const images = input.kind === 'message' ? imagePaths(input.text, chat.context) : []
    if (input.kind === 'command') await input.command.run(input.argument, chat)
    else if (images.length > 0) await attachFiles(images, chat)
    else await chat.runTurn((surface) => chat.teamChat.send(input.text, surface))
    return undefined
  } catch (thrown) {
    return printThrown(thrown, chat.options, chat.context)
  }
}

/** Parsed input line. */
type SlashInput =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly command: SlashCommand; readonly argument: string }

/** Names of commands in other programs, with the name of the same command here. */
const FOREIGN_NAMES: ReadonlyMap<string, string> = new Map([
  ['usage', 'cost'],
  ['quit', 'exit'],
])

/**
 * Parses an input line. A leading slash marks a command, two of them a message that starts with a slash.
 * Throws `usage_invalid` for an unknown command.
 */
function readSlash(line: string): SlashInput {
  if (line.startsWith('//')) return { kind: 'message', text: line.slice(1) }
  const [, name, argument = ''] = /^\/(\S*)\s*([^]*)$/u.exec(line) ?? []
  if (name === undefined) return { kind: 'message', text: line }
  const command = SLASH_COMMANDS.find((candidate) => candidate.name === name)
  if (command !== undefined) return { kind: 'command', command, argument: argument.trim() }
  const names = SLASH_COMMANDS.map((candidate) => candidate.name)
  const suggestion = FOREIGN_NAMES.get(name) ?? closest(name, names)
  const hint = suggestion === undefined ? '' : ` Did you mean /${suggestion}?`
  throw troupeError('usage_invalid', `There is no command /${name}.${hint}`, {
    fix: 'Type /help for the list. To send a message that starts with a slash, type //.',
  })
}

/** Returns the completions of a line that starts with a slash: command names, then arguments. */
export function completeLine(line: string, teamChat: TeamChat): readonly string[] {
  const [, name = '', space = '', argument = ''] = /^\/(\S*)(\s*)([^]*)$/u.exec(line) ?? []
  if (!line.startsWith('/')) return []
  if (space === '')
    return SLASH_COMMANDS.map((slashCommand) => `/${slashCommand.name} `).filter((text) =>
      text.startsWith(line),
    )
  const command = SLASH_COMMANDS.find((slashCommand) => slashCommand.name === name)
  const candidates = command?.candidates?.({ teamChat }) ?? []
  return candidates
    .filter((candidate) => candidate.startsWith(argument))
    .map((candidate) => `/${name} ${candidate}`)
}
