import type { SlashCommand } from './slash-command.ts'

/** `/new`: starts a new conversation. */
export const NEW: SlashCommand = {
  name: 'new',
  description: 'begin a new conversation',
  run(_argument, { teamChat, print, context }) {
    teamChat.startConversation()
    print([context.terminal.style.dim('A new conversation.')])
  },
}
