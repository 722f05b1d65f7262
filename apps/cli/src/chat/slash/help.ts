import { tableLines } from '../../reporter/table.ts'
import type { SlashCommand } from './slash-command.ts'

const COLUMNS = [{ title: 'command' }, { title: 'what it does' }]

/** Creates `/help`, which lists the commands. */
export function helpOn(commands: readonly SlashCommand[]): SlashCommand {
  const help: SlashCommand = {
    name: 'help',
    description: 'this list',
    run(_argument, { print, context }) {
      const rows = [...commands, help].map(({ name, argument, description }) => [
        argument === undefined ? `/${name}` : `/${name} ${argument}`,
        description,
      ])
      const [head = '', ...lines] = tableLines(COLUMNS, rows)
      const { dim } = context.terminal.style
      print([
        dim(head),
        ...lines,
        '',
        'A line that ends with \\ goes on in the next one; a pasted text is one message.',
        '// begins a message with a slash. Tab completes. Ctrl-C stops the answer.',
      ])
    },
  }
  return help
}
