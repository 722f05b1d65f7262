import { Option, type Command } from 'commander'
import type { EvalCommandOptions } from '../commands/eval.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addEvalAdd } from './eval-add-syntax.ts'
import { addLongHelp } from './short-help.ts'
import { repeatable } from './team-options.ts'

const EXAMPLES = `
Examples:
  troupe eval hours.eval.yaml                            # run every case and check the answers
  troupe eval evals --repeat 5 --recordings recordings   # a second run calls models only for what has changed
  troupe eval evals --compare main                       # are the cards better or worse than those of main?
  troupe eval evals --card edited.md --compare main      # try an edited card
  troupe eval evals --models openai/gpt-5-mini,ollama/llama3
  troupe eval evals --json > report.json
  troupe eval evals --junit reports/troupe.xml --html reports/troupe.html
  troupe eval evals --compare report.json
  troupe eval add run_3f2a9c --to team/answers.eval.yaml  # make a case from a saved run

Exit codes:
  0 every case passed or, with --compare, nothing is worse
  1 runs broke for a reason outside the team, such as an overloaded provider
  2 the cases, cards or configuration are wrong
  3 cases failed or, with --compare, something is worse
  4 the budget of --max-cost is spent
`

const SHORT_EXAMPLES = `
Examples:
  troupe eval hours.eval.yaml                            # run every case and check the answers
  troupe eval evals --compare main                       # are the cards better or worse than those of main?
`

export function addEval(program: Command, launch: Launch): void {
  const command = program
    .command('eval')
    .description('run cases, check the answers and compare versions of cards')
    .argument('<path>', 'a case file, or a folder with *.eval.yaml files')
    .addOption(repeatable('--card <file>', 'a card that replaces the card with the same agent name'))
    .option(
      '--compare <ref or report>',
      'a branch, tag or commit whose cards are run as well, or a saved report whose name ends with .json',
    )
    .option('--models <ids>', 'models that replace those of the cards, separated by commas')
    .option('--repeat <number>', 'how many times each case runs; default: the number in the case file')
    .option('--parallel <number>', 'the number of runs at the same time; default: 4')
    .option('--timeout <duration>', 'the time limit of one run, such as 60s')
    .option('--max-cost <usd>', 'the maximum cost of all model calls together, such as 0.5')
    .option('--recordings <folder>', 'a folder of recorded model answers to reuse')
    .addOption(
      new Option(
        '--recordings-mode <mode>',
        'auto: call the model for answers that are not recorded; strict: fail instead; off: neither use nor record answers',
      ).choices(['auto', 'strict', 'off']),
    )
    .option('--config <file>', 'the configuration file; default: the nearest troupe.json')
    .option(
      '--root <folder>',
      'the folder that built-in tools work in; default: runtime.root of troupe.json, else the current folder',
    )
    .addOption(repeatable('--env <NAME=value>', 'a variable; overrides every other source'))
    .addOption(repeatable('--env-file <file>', 'a file of variables'))
    .option(
      '--date <date>',
      'the date to use in prompts that contain one, so that recordings match on another day',
    )
    .option('-y, --yes', 'approve every call that needs approval; otherwise only stubbed calls are approved')
    .option('--json', 'print the report as one JSON object')
    .option('--junit <file>', 'write the report as JUnit XML')
    .option('--html <file>', 'write the report as one page with the timelines of the runs')
    .option('--no-save', 'do not save the report in `.troupe/evals` for the web page')
    .option('-q, --quiet', 'print only errors on stderr')
    .option('--no-color', 'switch colours off')
    .action((path: string, options: EvalCommandOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { evalCommand } = await import('../commands/eval.ts')
        return evalCommand(path, options, context)
      }),
    )
  const daily = [
    '--card',
    '--compare',
    '--models',
    '--repeat',
    '--max-cost',
    '--recordings',
    '--json',
    '--html',
  ]
  addLongHelp(command, { daily, examples: SHORT_EXAMPLES, allExamples: EXAMPLES })
  addEvalAdd(command, launch)
}
