import type { SlashCommand } from './slash-command.ts'

/** `/exit`: ends the chat. */
export const EXIT_CHAT: SlashCommand = {
  name: 'exit',
  description: 'leave; so does Ctrl-D',
  run: (_argument, { exit }) => exit(),
}
