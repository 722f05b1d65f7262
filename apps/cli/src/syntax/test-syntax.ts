import type { Command } from 'commander'
import type { TestOptions } from '../commands/test.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { repeatable } from './team-options.ts'

const EXAMPLES = `
Examples:
  troupe test                                # every *.test.yaml in this folder and below it
  troupe test team/librarian.test.yaml
  troupe test --junit reports/troupe.xml     # for CI

The model answers come from a script or a recording. No model is called, and no keys are passed on.

Exit codes:
  0 all tests passed
  2 a test file, or its team, has an error
  3 a test failed
`

export function addTest(program: Command, launch: Launch): void {
  program
    .command('test')
    .description('run the tests of a team with scripted model answers')
    .argument('[paths...]', 'test files, or folders with *.test.yaml; default: the current folder')
    .addOption(repeatable('--env <NAME=value>', 'a variable; overrides every other source'))
    .option('--junit <file>', 'write the results as JUnit XML')
    .option('--json', 'print the results as one JSON object')
    .option('--no-color', 'switch colours off')
    .addHelpText('after', EXAMPLES)
    .action((paths: readonly string[], options: TestOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { testCommand } = await import('../commands/test.ts')
        return testCommand(paths, options, context)
      }),
    )
}
