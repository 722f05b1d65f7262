import type { Command } from 'commander'
import type { DevOptions } from '../commands/dev.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions } from './team-options.ts'

const EXAMPLES = `
Edits to cards apply from the next message on. Errors are shown above the prompt until you fix them.

Examples:
  troupe dev                    # the cards of this folder
  troupe dev ./team --port 0    # a free port
`

/** Adds `troupe dev`. */
export function addDev(program: Command, launch: Launch): void {
  const command = program
    .command('dev')
    .description('chat, web page and server in one, with live edits')
    .argument('[folder]', 'a card, or a folder with cards; default: the current folder')
    .option('--agent <name>', 'the agent to chat with; default: the entry of the folder')
  addTeamOptions(command)
    .option('--port <number>', 'the port of the server, or 0 for a free one; default: 7788')
    .option(
      '--store <file>',
      'the file or PostgreSQL address to save runs in; default: TROUPE_STORE, store.url, or runs.db in the state folder',
    )
    .option('--no-store', 'keep runs in memory only')
    .option('-y, --yes', 'approve every call that needs approval')
    .option('--no-color', 'switch colours off')
    .addHelpText('after', EXAMPLES)
    .action((folder: string | undefined, options: DevOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { devCommand } = await import('../commands/dev.ts')
        return devCommand(folder ?? '.', options, context)
      }),
    )
}
