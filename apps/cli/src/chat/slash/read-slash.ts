import { closest, troupeError } from '@troupe/schema'
import type { SlashCommand } from './slash-command.ts'
import { SLASH_COMMANDS } from './slash-commands.ts'

/** Parsed input line. */
export type SlashInput =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly command: SlashCommand; readonly argument: string }

/** Command names of other programs, with ours. */
const FOREIGN_NAMES: ReadonlyMap<string, string> = new Map([
  ['usage', 'budget'],
  ['cost', 'budget'],
  ['clear', 'new'],
  ['quit', 'exit'],
])

/**
 * Parses an input line. A leading slash marks a command, two of them a message that starts with a slash.
 * Throws `usage_invalid` for an unknown command.
 */
export function readSlash(line: string): SlashInput {
  if (line.startsWith('//')) return { kind: 'message', text: line.slice(1) }
  const [, name, argument = ''] = /^\/(\S*)\s*([^]*)$/u.exec(line) ?? []
  if (name === undefined) return { kind: 'message', text: line }
  const command = SLASH_COMMANDS.find((each) => each.name === name)
  if (command !== undefined) return { kind: 'command', command, argument: argument.trim() }
  const names = SLASH_COMMANDS.map((each) => each.name)
  const suggestion = FOREIGN_NAMES.get(name) ?? closest(name, names)
  const hint = suggestion === undefined ? '' : ` Did you mean /${suggestion}?`
  throw troupeError('usage_invalid', `There is no command /${name}.${hint}`, {
    fix: '/help lists them; // begins a message with a slash.',
  })
}
