import { SLASH_COMMANDS } from './slash/slash-commands.ts'
import type { TeamChat } from './team-chat.ts'

/** Returns the completions of a line that starts with a slash: command names, then arguments. */
export function completeLine(line: string, teamChat: TeamChat): readonly string[] {
  const [, name = '', space = '', argument = ''] = /^\/(\S*)(\s*)([^]*)$/u.exec(line) ?? []
  if (!line.startsWith('/')) return []
  if (space === '')
    return SLASH_COMMANDS.map((each) => `/${each.name} `).filter((text) => text.startsWith(line))
  const command = SLASH_COMMANDS.find((each) => each.name === name)
  const candidates = command?.candidates?.({ teamChat }) ?? []
  return candidates.filter((each) => each.startsWith(argument)).map((each) => `/${name} ${each}`)
}
