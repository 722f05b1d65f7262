import type { Command } from 'commander'
import type { CheckOptions } from '../commands/check.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions } from './team-options.ts'
import type { DoctorOptions } from '../commands/doctor.ts'

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

const DOCTOR_EXAMPLES = `
Examples:
  troupe doctor                 Node, the configuration and the keys of this folder
  troupe doctor ./team          and what a team needs: variables, models, MCP servers
  troupe doctor ./team --json | jq .servers

No value of a variable is ever printed, only where it comes from.

Exit codes: 0 all is there, 2 something is missing or broken
`

export function addDoctor(program: Command, launch: Launch): void {
  const command = program
    .command('doctor')
    .description('try what a team relies on: keys, variables, models, MCP servers; without a model call')
    .argument('[paths...]', 'cards, or folders with cards; default: this folder')
  addTeamOptions(command)
    .option('--json', 'print the findings as one object')
    .option('--no-color', 'without colours')
    .addHelpText('after', DOCTOR_EXAMPLES)
    .action((paths: readonly string[], options: DoctorOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { doctorCommand } = await import('../commands/doctor.ts')
        return doctorCommand(paths, options, context)
      }),
    )
}
