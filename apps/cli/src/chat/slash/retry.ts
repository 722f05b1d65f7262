import type { SlashCommand } from './slash-command.ts'

/** `/retry`: sends the last message again. */
export const RETRY: SlashCommand = {
  name: 'retry',
  description: 'ask the last message again, without its answer',
  run: (_argument, { teamChat, runTurn }) => runTurn((surface) => teamChat.retry(surface)),
}
