import { Option, type Command } from 'commander'
import type { RunCommandOptions } from '../commands/run.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import type { ChatOptions } from '../chat/chat-context.ts'
import { executorOption } from './worker-syntax.ts'
import { addLongHelp } from './short-help.ts'
import { addTeamOptions, repeatable } from './team-options.ts'

const EXAMPLES = `
The answer goes to stdout, everything else to stderr. \`troupe <card> …\` is short for \`troupe run <card> …\`.

Examples:
  troupe run time.md "What time is it in Paris?"
  troupe time.md "What time is it in Paris?"           # the same
  troupe run ./team --agent planner "Plan my week"     # run one agent of a folder
  git diff | troupe run review.md                      # read the message from stdin
  git diff | troupe run review.md "Be strict:" -       # append stdin to the message
  troupe run time.md "Paris?" --json | jq .usage
  troupe run time.md "Paris?" --model openai/gpt-5-mini --set limits.maxTurns=5
  troupe run time.md "And in Rome?" --session trip     # continue a conversation
  troupe run --resume run_3f2a                         # resume an interrupted run
  troupe run ./team "Plan my week" --record week.yaml  # record the run
  troupe run ./team --replay week.yaml                 # replay it without models and network
  troupe run ./team "Plan my week" --watch             # run again after every change to a card
  troupe run time.md "Paris?" --schema time.schema.json | jq .hour
  troupe run time.md --help                            # describe the agent and print its front matter to copy

Exit codes:
  0 completed, 1 failed, 2 invalid usage, configuration or card,
  3 partial answer, or problems with --strict, 4 budget exceeded, 5 denied, 6 waiting for an approval,
  124 timeout, 129 terminal closed, 130 interrupted, 141 stdout was closed, 143 terminated
`

const SHORT_EXAMPLES = `
Examples:
  troupe run time.md "What time is it in Paris?"
  troupe time.md "What time is it in Paris?"           # the same
  git diff | troupe run review.md                      # read the message from stdin
  troupe run time.md "And in Rome?" --session trip     # continue a conversation
  troupe run time.md --help                            # describe the agent and print its front matter to copy
`

/** Options of the short help. */
const DAILY = [
  '--agent',
  '--model',
  '--env-file',
  '--file',
  '--session',
  '--resume',
  '--timeout',
  '--max-cost',
  '--json',
  '--yes',
  '--watch',
  '--quiet',
  '--verbose',
]

/** Adds `troupe run`. Its `--help` is custom: with a card, it describes the card. */
export function addRun(program: Command, launch: Launch): void {
  const command = program
    .command('run')
    .description('run a card, or the entry agent of a folder, once')
    .argument('[card]', 'a card, or a folder with cards')
    .argument(
      '[message...]',
      'the message for the agent; default: stdin, else the example of the card; - appends stdin',
    )
    .option('--agent <name>', 'the agent to run; default: the entry of the folder')
  addTeamOptions(command)
    .addOption(repeatable('--set <key=value>', 'change a key of the entry agent, such as limits.maxTurns=5'))
    .optionsGroup('Message:')
    .addOption(repeatable('--image <file>', 'an image to send with the message: png, jpg, gif, webp'))
    .addOption(repeatable('--file <file>', 'a file to send with the message: text, a PDF or an image'))
    .addOption(
      new Option(
        '--session <id>',
        'add the message to this conversation, or start it; the model sees the earlier messages',
      ).conflicts(['resume', 'replay', 'watch']),
    )
    .optionsGroup('Saved runs:')
    .option('--resume <run>', 'resume an interrupted run; by default, with the cards it started with')
    .option('--accept-changes', 'with --resume: resume even if cards have changed')
    .option(
      '--store <file>',
      'the file or PostgreSQL address to save the run in; default: TROUPE_STORE, store.url, or runs.db in the state folder',
    )
    .option('--no-store', 'do not save the run')
    .addOption(executorOption())
    .addOption(
      new Option(
        '--priority <number>',
        'with --executor dbos: the order in the queue, from 1 (first) to 1000; default: 100',
      ).conflicts(['resume', 'replay']),
    )
    .addOption(
      new Option('--record <file>', 'record the run to a file for --replay').conflicts([
        'replay',
        'resume',
        'watch',
      ]),
    )
    .addOption(
      new Option(
        '--replay <file>',
        'replay a recording with these cards, without models, tools and network',
      ).conflicts(['resume', 'watch']),
    )
    .optionsGroup('Limits:')
    .option('--timeout <duration>', 'the time limit of the run, such as 60s')
    .option('--max-cost <usd>', 'the maximum cost of the run and its children, such as 0.5')
    .option(
      '--max-tokens <number>',
      'the maximum number of input and output tokens of the run and its children',
    )
    .optionsGroup('Output:')
    .addOption(
      new Option('--json', 'print one JSON object with the answer, outcome and usage').conflicts('events'),
    )
    .option('--events', 'print every event of the run as a line of JSON')
    .option('--schema <file>', 'require an answer that matches the JSON Schema in this file')
    .optionsGroup('Approvals and problems:')
    .option('-y, --yes', 'approve every call that needs approval')
    .option(
      '--wait',
      'without a terminal: suspend the run at a call that needs approval; continue with `troupe runs approve`',
    )
    .option(
      '--strict',
      'exit with 2 before the run if a key, model or MCP server is missing, and with 3 if the run completed with problems (failed, denied or timed-out calls and children)',
    )
    .optionsGroup('Options:')
    .option(
      '-w, --watch',
      'run again with the same message after every change to the files, until Ctrl-C; edits with errors are not applied',
    )
    .optionsGroup('Output:')
    .option('-q, --quiet', 'print only errors on stderr')
    .option(
      '-v, --verbose',
      'print longer lines instead of the panel, then the history of calls and a table of instances',
    )
    .addOption(
      new Option('--log-format <format>', 'print lines instead of the panel, as text or as JSON objects')
        .choices(['text', 'json'])
        .conflicts('events'),
    )
    .option('--no-color', 'switch colours off')
    .optionsGroup('Options:')
    .option('-h, --help', 'print help; with a card: describe its agent')
    .helpOption(false)
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
  addLongHelp(command, { daily: DAILY, examples: SHORT_EXAMPLES, allExamples: EXAMPLES })
}

type RunSyntaxOptions = RunCommandOptions & CommonOptions & { readonly help?: boolean }

function explain(command: Command, options: RunSyntaxOptions): void {
  if (options.help === true) command.help()
  command.error('error: the card is missing. Use: troupe run <card> "message"')
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
    const { replayCommand } = await import('../commands/run.ts')
    return replayCommand({ ...request, file }, options, context)
  }
  const { runCommand } = await import('../commands/run.ts')
  return runCommand(request, options, context)
}

const CHAT_EXAMPLES = `
At a terminal, answers are streamed, with the active children below. Type a message, or one of the commands that /help
lists, such as /model, /cost and /sessions. Ctrl-C stops the answer, Ctrl-D exits.
Without a terminal, each line of stdin is a turn, and the answers go to stdout.

Examples:
  troupe chat time.md
  troupe chat ./team --agent planner --max-cost 0.5
  troupe chat ./team --list                     # list earlier conversations
  troupe chat ./team --continue                 # choose an earlier one
  troupe chat ./team --session trip             # continue this one, or start it
  troupe chat ./team --watch                    # apply edits to cards from the next message on
  printf 'What time is it?\\nAnd in Rome?\\n' | troupe chat time.md --quiet
`

const SHORT_CHAT_EXAMPLES = `
Type a message, or /help for the commands. Ctrl-C stops the answer, Ctrl-D exits.

Examples:
  troupe chat time.md
  troupe chat ./team --continue                 # choose an earlier conversation
`

/** Options of the short help. */
const CHAT_DAILY = [
  '--agent',
  '--model',
  '--env-file',
  '--session',
  '--continue',
  '--list',
  '--max-cost',
  '--watch',
  '--yes',
  '--quiet',
]

export function addChat(program: Command, launch: Launch): void {
  const command = program
    .command('chat')
    .description('chat with the agents of a card or folder')
    .argument('<card>', 'a card, or a folder with cards')
    .option('--agent <name>', 'the agent to chat with; default: the entry of the folder')
  addTeamOptions(command)
    .addOption(repeatable('--set <key=value>', 'change a key of the entry agent, such as limits.maxTurns=5'))
    .optionsGroup('Conversations:')
    .addOption(
      new Option('--session <id>', 'continue this conversation, or start it').conflicts(['continue', 'list']),
    )
    .addOption(
      new Option(
        '-c, --continue',
        'continue the most recent conversation; at a terminal, choose one',
      ).conflicts('list'),
    )
    .option('--list', 'list the conversations with agents of this team')
    .optionsGroup('Options:')
    .option('--whole', 'without a terminal: read all of stdin as one message')
    .option(
      '--store <file>',
      'the file or PostgreSQL address to save runs in; default: TROUPE_STORE, store.url, or runs.db in the state folder',
    )
    .option('--no-store', 'save nothing; the conversation ends with the program')
    .optionsGroup('Limits:')
    .option('--timeout <duration>', 'the time limit of one answer, such as 60s')
    .option('--max-cost <usd>', 'the maximum cost of all answers together, such as 0.5')
    .option('--max-tokens <number>', 'the maximum number of input and output tokens of all answers together')
    .optionsGroup('Options:')
    .option('-w, --watch', 'apply edits to cards at once; an answer in progress is not affected')
    .option('-y, --yes', 'approve every call that needs approval')
    .optionsGroup('Output:')
    .option('-q, --quiet', 'print only errors and questions on stderr')
    .option('-v, --verbose', 'print longer lines instead of the panel')
    .addOption(
      new Option(
        '--log-format <format>',
        'print lines instead of the panel, as text or as JSON objects',
      ).choices(['text', 'json']),
    )
    .option('--no-color', 'switch colours off')
    .action((card: string, options: ChatOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { chatCommand } = await import('../commands/chat.ts')
        return chatCommand(card, options, context)
      }),
    )
  addLongHelp(command, { daily: CHAT_DAILY, examples: SHORT_CHAT_EXAMPLES, allExamples: CHAT_EXAMPLES })
}
