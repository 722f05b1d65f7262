import type { Command } from 'commander'
import type { CheckOptions } from '../commands/check.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addLongHelp } from './short-help.ts'
import { addTeamOptions } from './team-options.ts'
import type { DoctorOptions } from '../commands/doctor.ts'

const EXAMPLES = `
Examples:
  troupe check time.md                      # check one agent and its children
  troupe check ./team                       # check all cards of a folder
  troupe check .claude/agents --explain     # show which fields of another tool's agents are used
  troupe check ./team --connect             # include the tools of its MCP servers
  troupe check ./team --json | jq .problems
  troupe check ./team --watch               # check again after every change

Exit codes:
  0 no errors
  2 a given card, or a child it can reach, has an error; with --strict also if a variable, key or model is missing
  3 other warnings, with --strict
`

const SHORT_EXAMPLES = `
Examples:
  troupe check ./team                       # check all cards of a folder
  troupe check ./team --connect             # include the tools of its MCP servers
`

export function addCheck(program: Command, launch: Launch): void {
  const command = program
    .command('check')
    .description('find problems in cards, and show the agents and their tools')
    .argument('<paths...>', 'cards, or folders with cards')
  addTeamOptions(command)
    .option('--explain', 'show the format of each card, and how each field was interpreted')
    .option('--connect', 'start the MCP servers and include their tools')
    .option(
      '--strict',
      'exit with 2 if a variable, key or model is missing, and with 3 for any other warning',
    )
    .option('--json', 'print the plan as one JSON object')
    .option('-w, --watch', 'check again after every change to the files, until Ctrl-C')
    .option('--no-color', 'switch colours off')
    .action((paths: readonly string[], options: CheckOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { checkCommand } = await import('../commands/check.ts')
        return checkCommand(paths, options, context)
      }),
    )
  const daily = ['--model', '--env-file', '--explain', '--connect', '--strict', '--json', '--watch']
  addLongHelp(command, { daily, examples: SHORT_EXAMPLES, allExamples: EXAMPLES })
}

const DOCTOR_EXAMPLES = `
Examples:
  troupe doctor                 # check Node, the configuration and the keys of this folder
  troupe doctor ./team          # also check the variables, models and MCP servers of a team
  troupe doctor ./team --json | jq .servers
  troupe doctor --store postgresql://troupe@db.example.com/troupe

Values of variables are never printed, only their sources.

Exit codes: 0 no errors, 2 something is missing or broken
`

export function addDoctor(program: Command, launch: Launch): void {
  const command = program
    .command('doctor')
    .description('check keys, variables, models and MCP servers')
    .argument('[paths...]', 'cards, or folders with cards; default: the current folder')
  addTeamOptions(command)
    .option(
      '--store <file>',
      'the file or PostgreSQL address of the run store; default: TROUPE_STORE, store.url, or runs.db in the state folder',
    )
    .option('--json', 'print the findings as one JSON object')
    .option('--no-color', 'switch colours off')
    .addHelpText('after', DOCTOR_EXAMPLES)
    .action((paths: readonly string[], options: DoctorOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { doctorCommand } = await import('../commands/doctor.ts')
        return doctorCommand(paths, options, context)
      }),
    )
}
