import type { Command } from 'commander'
import type { EvalAddOptions } from '../commands/eval-add.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'

const EXAMPLES = `
Examples:
  troupe eval add run_3f2a9c
  troupe eval add run_3f2a9c --to team/answers.eval.yaml
`

/** Adds `add` to the command `troupe eval`. */
export function addEvalAdd(evalCommand: Command, launch: Launch): void {
  evalCommand
    .command('add')
    .description('make a case from a saved run: its input, the results of its tools, and a check to edit')
    .argument('<run>', 'the id of a run, or its first characters')
    .option('--to <file>', 'the case file, which is created if it does not exist', 'cases.yaml')
    .option(
      '--store <file>',
      'the file or PostgreSQL address with the runs; default: TROUPE_STORE, store.url, or runs.db in the state folder',
    )
    .option('-q, --quiet', 'print no warnings')
    .option('--no-color', 'switch colours off')
    .addHelpText('after', EXAMPLES)
    .action((run: string, options: EvalAddOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { evalAddCommand } = await import('../commands/eval-add.ts')
        return evalAddCommand(run, options, context)
      }),
    )
}
