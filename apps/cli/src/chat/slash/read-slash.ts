import { closest, troupeError } from '@troupe/schema'
import type { SlashCommand } from './slash-command.ts'
import { SLASH_COMMANDS } from './slash-commands.ts'

/** What was typed: something to say, or a command. */
export type Typed =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly command: SlashCommand; readonly argument: string }

/** Names of the same commands in other programs, with ours. */
const FOREIGN_NAMES: ReadonlyMap<string, string> = new Map([
  ['usage', 'budget'],
  ['cost', 'budget'],
  ['clear', 'new'],
  ['quit', 'exit'],
])

/** A line that begins with a slash is a command, with two of them a message that begins with one. Throws `usage_invalid` for a command that there is not. */
export function readSlash(line: string): Typed {
  if (line.startsWith('//')) return { kind: 'message', text: line.slice(1) }
  const [, name, argument = ''] = /^\/(\S*)\s*([^]*)$/u.exec(line) ?? []
  if (name === undefined) return { kind: 'message', text: line }
  const command = SLASH_COMMANDS.find((each) => each.name === name)
  if (command !== undefined) return { kind: 'command', command, argument: argument.trim() }
  const names = SLASH_COMMANDS.map((each) => each.name)
  const meant = FOREIGN_NAMES.get(name) ?? closest(name, names)
  const hint = meant === undefined ? '' : ` Did you mean /${meant}?`
  throw troupeError('usage_invalid', `There is no command /${name}.${hint}`, {
    fix: '/help lists them; // begins a message with a slash.',
  })
}
