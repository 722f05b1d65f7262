import type { Command } from 'commander'
import type { AcpOptions } from '../commands/acp.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions } from './team-options.ts'

const EXAMPLES = `
An editor starts this command and talks to the agent over stdin and stdout; everything else goes to stderr. A session of the editor is a
conversation, and whoever sits there is asked for approvals.

Examples:
  troupe acp team                                       the entry of a team
  troupe acp planner.md --model openai/gpt-5-mini       one card
`

export function addAcp(program: Command, launch: Launch): void {
  const command = program
    .command('acp')
    .description('serve an agent to an editor (Agent Client Protocol)')
    .argument('<card>', 'a card, or a folder with cards')
    .option('--agent <name>', 'the agent; default: the entry of the folder')
  addTeamOptions(command)
    .option('--store <file>', 'the file that keeps the runs; default: runs.db in the state folder')
    .option('--no-store', 'do not keep the runs')
    .option('-q, --quiet', 'print nothing on stderr but errors')
    .option('-v, --verbose', 'print a line for all that happens')
    .option('--no-color', 'without colours')
    .addHelpText('after', EXAMPLES)
    .action((card: string, options: AcpOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { acpCommand } = await import('../commands/acp.ts')
        return acpCommand(card, options, context)
      }),
    )
}
