import type { Command } from 'commander'
import type { CheckOptions } from '../commands/check.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions } from './team-options.ts'

const EXAMPLES = `
Examples:
  troupe check time.md                      one agent and what it can reach
  troupe check ./team                       all cards of a folder
  troupe check .claude/agents --explain     what is honoured of the agents of another product
  troupe check ./team --connect             with the tools of its MCP servers
  troupe check ./team --json | jq .problems
  troupe check ./team --watch               again after every change

Exit codes:
  0 no errors, 2 a card asked for, or a child it can reach, has an error; with --strict also a missing variable,
  3 warnings with --strict
`

export function addCheck(program: Command, launch: Launch): void {
  const command = program
    .command('check')
    .description('load cards without calling a model: problems, the graph of agents, the variables they need')
    .argument('<paths...>', 'cards, or folders with cards')
  addTeamOptions(command)
    .option('--explain', 'print of each card the dialect, and what became of each of its fields')
    .option('--connect', 'start the MCP servers and list their tools, too')
    .option(
      '--strict',
      'exit with 2 if a variable, key or model is missing, and with 3 for any other warning',
    )
    .option('--json', 'print the plan as one object')
    .option('-w, --watch', 'check again after every change of the files, until Ctrl-C')
    .option('--no-color', 'without colours')
    .addHelpText('after', EXAMPLES)
    .action((paths: readonly string[], options: CheckOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { checkCommand } = await import('../commands/check.ts')
        return checkCommand(paths, options, context)
      }),
    )
}
