import { Option, type Command } from 'commander'
import type { ServeOptions } from '../commands/serve.ts'
import { HEADEND_FLAGS } from '../serve/headend-flags.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions, repeatable } from './team-options.ts'

const EXAMPLES = `
stdout says where each protocol is, with a line to paste; stderr gets a line for each answer. SIGTERM waits
for runs that have started (server.limits.drainTimeout, 30 s); a second one does not.

Examples:
  troupe serve ./team                                    http://127.0.0.1:7788, for this machine
  troupe serve ./team --agent planner --port 8080        one agent of a folder
  troupe serve ./team --host 0.0.0.0 --token "$TOKEN"    for others: with a token only
  troupe serve ./team --no-anthropic --watch             without a protocol; edits are taken at once
`

export function addServe(program: Command, launch: Launch): void {
  const command = program
    .command('serve')
    .description('serve agents over HTTP: REST, run control, OpenAI, Anthropic and more, on one port')
    .argument('[cards...]', 'cards, or folders with cards; default: this folder')
    .addOption(
      repeatable('--agent <name or card>', 'serve this agent only; default: all that are not hidden'),
    )
  addTeamOptions(command)
    .option('--port <number>', 'the port; 0: a free one; default: 7788')
    .option('--host <address>', 'where to listen; default: 127.0.0.1; elsewhere a token is needed')
    .addOption(
      repeatable(
        '--token <token>',
        'let its holder in (at least 16 characters); default: any caller on this machine',
      ),
    )
    .addOption(
      repeatable('--allow-origin <origin>', 'pages of this origin may call, and it may stand in front'),
    )
  for (const word of HEADEND_FLAGS) command.option(`--no-${word}`, `without the protocol "${word}"`)
  command
    .addOption(
      new Option('--mcp <transport>', 'MCP over stdin and stdout as well, until the client leaves').choices([
        'stdio',
      ]),
    )
    .option('--store <file>', 'the file that keeps the runs; default: runs.db in the state folder')
    .option('--no-store', 'keep runs in memory only')
    .option(
      '--strict',
      'exit with 2 before listening if a card, key, model or MCP server is missing or broken',
    )
    .option('-w, --watch', 'take edits of cards at once; runs at work keep the team that they began with')
    .addOption(
      new Option('--log-format <format>', 'lines on stderr; default: text on a terminal, else JSON').choices([
        'text',
        'json',
      ]),
    )
    .option('-q, --quiet', 'print nothing but errors')
    .option('--no-color', 'without colours')
    .addHelpText('after', EXAMPLES)
    .action((cards: readonly string[], options: ServeOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { serveCommand } = await import('../commands/serve.ts')
        return serveCommand(cards, options, context)
      }),
    )
}
