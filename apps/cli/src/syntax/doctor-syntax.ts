import type { Command } from 'commander'
import type { DoctorOptions } from '../commands/doctor.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions } from './team-options.ts'

const EXAMPLES = `
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
    .addHelpText('after', EXAMPLES)
    .action((paths: readonly string[], options: DoctorOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { doctorCommand } = await import('../commands/doctor.ts')
        return doctorCommand(paths, options, context)
      }),
    )
}
