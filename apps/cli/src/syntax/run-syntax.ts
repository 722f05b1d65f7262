import { Option, type Command } from 'commander'
import type { RunCommandOptions } from '../commands/run.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions, repeatable } from './team-options.ts'

const EXAMPLES = `
The answer goes to stdout, everything else to stderr. \`troupe <card> …\` is the same as \`troupe run <card> …\`.

Examples:
  troupe run time.md "What time is it in Paris?"
  troupe time.md "What time is it in Paris?"        the same
  troupe run ./team --agent planner "Plan my week"  one agent of a folder
  git diff | troupe run review.md                   the message from stdin
  git diff | troupe run review.md "Be strict:" -    both
  troupe run time.md "Paris?" --json | jq .usage
  troupe run time.md "Paris?" --model openai/gpt-5-mini --set limits.maxTurns=5
  troupe run time.md "And in Rome?" --session trip   go on with a conversation
  troupe run --resume run_3f2a                      go on with a run that was interrupted
  troupe run ./team "Plan my week" --record week.yaml
  troupe run ./team --replay week.yaml              the same run again, without models and network
  troupe run ./team "Plan my week" --watch          again after every change of a card
  troupe run time.md "Paris?" --schema time.schema.json | jq .hour
  troupe run time.md --help                         what this agent is for, and its front matter to copy

Exit codes:
  0 completed, 1 failed, 2 wrong usage, configuration or card,
  3 partial answer, or problems with --strict, 4 budget,
  5 denied, 6 waiting for an approval, 124 timeout, 130 interrupted, 143 terminated, 141 the reader of stdout left
`

/** Adds `troupe run`. Its `--help` is custom: with a card, it describes the card. */
export function addRun(program: Command, launch: Launch): void {
  const command = program
    .command('run')
    .description('run an agent once: a card, or a folder of cards')
    .argument('[card]', 'a card, or a folder with cards')
    .argument('[message...]', 'what the agent is told; without it stdin is read; - stands for stdin')
    .option('--agent <name>', 'the agent to run; default: the entry of the folder')
  addTeamOptions(command)
    .addOption(repeatable('--set <key=value>', 'changes a key of the entry agent, such as limits.maxTurns=5'))
    .addOption(repeatable('--image <file>', 'a picture that goes with the message: png, jpg, gif, webp'))
    .addOption(repeatable('--file <file>', 'a file that goes with the message: text, PDF, a picture'))
    .addOption(
      new Option(
        '--session <id>',
        'add the message to this conversation, or begin it: the answer is given with all that was said before',
      ).conflicts(['resume', 'replay', 'watch']),
    )
    .option(
      '--resume <run>',
      'go on with a run that was interrupted; without a card with those it began with',
    )
    .option('--accept-changes', 'with --resume: also when cards have changed since')
    .option('--store <file>', 'the file that keeps the run; default: runs.db in the state folder')
    .option('--no-store', 'do not keep the run')
    .addOption(
      new Option('--record <file>', 'write the run to a file that --replay plays').conflicts([
        'replay',
        'resume',
        'watch',
      ]),
    )
    .addOption(
      new Option(
        '--replay <file>',
        'play a recorded run over these cards: no model, tool or server is asked',
      ).conflicts(['resume', 'watch']),
    )
    .option('--timeout <duration>', 'the longest the run may take, such as 60s')
    .option('--max-cost <usd>', 'the most the run and its children may cost, such as 0.5')
    .option('--max-tokens <number>', 'the most tokens the run and its children may use, in and out')
    .addOption(
      new Option('--json', 'print one object: the answer, its outcome and usage').conflicts('events'),
    )
    .option('--events', 'print every event of the run as a line of JSON')
    .option('--schema <file>', 'the answer is JSON that fits the JSON Schema in this file, or the run fails')
    .option('-y, --yes', 'approve every call that asks')
    .option('--wait', 'without a terminal: a call that asks leaves the run waiting for `troupe runs approve`')
    .option(
      '--strict',
      'exit with 3 if the run completed with problems: calls or children that failed, were denied or timed out; with 2, before anything runs, if a key, model or MCP server is missing',
    )
    .option(
      '-w, --watch',
      'run again with the same message after every change of the files, until Ctrl-C; a run in flight ends first, and a bad edit is kept out',
    )
    .option('-q, --quiet', 'print nothing on stderr but errors')
    .option(
      '-v, --verbose',
      'print lines with more of their text; then the history of calls and all instances',
    )
    .addOption(
      new Option('--log-format <format>', 'lines in place of the panel: for people, or a JSON object each')
        .choices(['text', 'json'])
        .conflicts('events'),
    )
    .option('--no-color', 'without colours')
    .option('-h, --help', 'this help; with a card: help about its agent')
    .helpOption(false)
    .addHelpText('after', EXAMPLES)
    .action(async (card: string | undefined, words: readonly string[], options: RunSyntaxOptions) => {
      const runId = options.resume
      if (runId !== undefined && options.help !== true)
        return launch(options, async (context) => {
          const { resumeCommand } = await import('../commands/resume.ts')
          return resumeCommand({ card, words, runId }, options, context)
        })
      if (card === undefined) return explain(command, options)
      await launch(options, (context) => start({ card, words }, options, context))
    })
}

type RunSyntaxOptions = RunCommandOptions & CommonOptions & { readonly help?: boolean }

function explain(command: Command, options: RunSyntaxOptions): void {
  if (options.help === true) command.help()
  command.error('error: there is no card to run: troupe run <card> "message"')
}

async function start(
  request: { readonly card: string; readonly words: readonly string[] },
  options: RunSyntaxOptions,
  context: Parameters<Parameters<Launch>[1]>[0],
): Promise<number> {
  if (options.help === true) {
    const { cardHelpCommand } = await import('../commands/card-help.ts')
    return cardHelpCommand(request.card, options, context)
  }
  const { replay: file } = options
  if (file !== undefined) {
    const { replayCommand } = await import('../commands/replay.ts')
    return replayCommand({ ...request, file }, options, context)
  }
  const { runCommand } = await import('../commands/run.ts')
  return runCommand(request, options, context)
}
