import { Option, type Command } from 'commander'
import type { CommandContext, CommonOptions, Launch } from '../terminal/context.ts'
import type { RunsForkOptions } from '../commands/runs-fork.ts'
import type { RunCommandOptions } from '../commands/run.ts'
import type { RunsApproveOptions } from '../commands/runs-approve.ts'
import type { RunsListOptions } from '../commands/runs-list.ts'
import type { RunsPurgeOptions } from '../commands/runs-purge.ts'
import type { StoreCopyOptions } from '../commands/store-copy.ts'
import type { StoreOptions } from '../run-store/open-store.ts'
import { repeatable } from './team-options.ts'

const EXAMPLES = `
Pass the id of a run, or its first characters.

Examples:
  troupe runs list                                        # list the latest runs
  troupe runs show run_3f2a                               # show the calls, results and costs of a run
  troupe runs tail run_3f2a                               # follow a run of another process
  troupe runs export run_3f2a > run.jsonl                 # export a run
  troupe runs export run_3f2a --html > run.html           # make a page to send to a colleague
  troupe runs compare run_3f2a run_77c1                   # show the calls in which two runs differ
  troupe runs fork run_3f2a --at 2 --card ../edited.md    # repeat it up to turn 2, then use an edited card
  troupe runs approve run_3f2a                            # approve the call that the run is waiting for
  troupe runs answer run_3f2a run_3f2a "Nine o'clock"     # answer the question that the run is waiting for
  troupe runs purge --older-than 30d                      # delete old runs
`

const COMMAND_EXAMPLES: ReadonlyMap<string, readonly string[]> = new Map([
  ['list', ['troupe runs list --limit 5', 'troupe runs list --state failed --json']],
  [
    'show',
    [
      'troupe runs show run_3f2a',
      'troupe runs show run_3f2a --plain',
      'troupe runs show run_3f2a --json | jq .total',
    ],
  ],
  ['tree', ['troupe runs tree run_3f2a']],
  ['events', ['troupe runs events run_3f2a', 'troupe runs events run_3f2a --after 20 --json']],
  ['tail', ['troupe runs tail run_3f2a']],
  [
    'export',
    [
      'troupe runs export run_3f2a > run.jsonl',
      'troupe runs export run_3f2a --cassette > run.yaml',
      'troupe runs export run_3f2a --html > run.html',
    ],
  ],
  [
    'compare',
    ['troupe runs compare run_3f2a run_77c1', 'troupe runs compare run_3f2a run_77c1 --json | jq .counts'],
  ],
  [
    'fork',
    [
      'troupe runs fork run_3f2a --at 2 --card ../edited.md',
      'troupe runs fork run_3f2a --at 1.2/3 --accept-changes',
    ],
  ],
  [
    'approve',
    [
      'troupe runs approve run_3f2a',
      'troupe runs approve run_3f2a --deny --reason "Too expensive."',
      'troupe runs approve run_3f2a --link',
    ],
  ],
  ['answer', ['troupe runs answer run_3f2a run_3f2a "Nine o\'clock"']],
  ['purge', ['troupe runs purge --older-than 30d', 'troupe runs purge --keep 100']],
])

type RunInspection = (run: string, options: InspectOptions, context: CommandContext) => Promise<number>
type InspectOptions = StoreOptions & CommonOptions & { readonly after?: string; readonly cassette?: boolean }

/** Adds `troupe runs` and its commands. Each command is loaded when it is called. */
export function addRuns(program: Command, launch: Launch): void {
  const runs = program
    .command('runs')
    .description('list, show, compare, export, fork, approve and purge saved runs')
    .helpCommand(false)
    .enablePositionalOptions()
    .addHelpText('after', EXAMPLES)
  addList(runs, launch)
  const addInspect = (name: string, description: string, load: () => Promise<RunInspection>): Command =>
    addShared(
      runs
        .command(name)
        .description(description)
        .argument('<run>', 'the id of a run, or its first characters'),
    ).action((run: string, options: InspectOptions) =>
      launch(options, async (context) => (await load())(run, options, context)),
    )
  addInspect('show', 'show the calls, results and costs of a run', async () => {
    const { runsShowCommand } = await import('../commands/runs-show.ts')
    return runsShowCommand
  }).option('--plain', 'print text, also on a terminal')
  addInspect('tree', 'show the agents of a run as a tree, with the turns for `fork`', async () => {
    const { runsTreeCommand } = await import('../commands/runs-tree.ts')
    return runsTreeCommand
  })
  addInspect('events', 'print every event of a run, one per line', async () => {
    const { runsEventsCommand } = await import('../commands/runs-events.ts')
    return runsEventsCommand
  }).addOption(new Option('--after <seq>', 'only events after this number'))
  addInspect('tail', 'print the events of a run, and new ones until it ends', async () => {
    const { runsTailCommand } = await import('../commands/runs-events.ts')
    return runsTailCommand
  })
  addInspect('export', 'print all data of a run as lines of JSON', async () => {
    const { runsExportCommand } = await import('../commands/runs-export.ts')
    return runsExportCommand
  })
    .addOption(
      new Option('--cassette', 'print a recording for `troupe run <card> --replay`').conflicts('html'),
    )
    .option('--html', 'print a page with the timeline and all calls, to open or send without a server')
  addCompare(runs, launch)
  addFork(runs, launch)
  addApprove(runs, launch)
  addAnswer(runs, launch)
  addPurge(runs, launch)
}

function addList(runs: Command, launch: Launch): void {
  addShared(runs.command('list').description('list the latest runs, newest first'))
    .option('--limit <number>', 'the maximum number of runs', '20')
    .option('--agent <name>', 'only runs of this agent')
    .option('--session <id>', 'only runs of this conversation')
    .option(
      '--state <state>',
      'only runs with this outcome, or `running`, `waiting`, `interrupted` or `damaged`',
    )
    .action((options: RunsListOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { runsListCommand } = await import('../commands/runs-list.ts')
        return runsListCommand(options, context)
      }),
    )
}

function addCompare(runs: Command, launch: Launch): void {
  addShared(runs.command('compare').description('show the calls in which two runs differ'))
    .argument('<left>', 'the id of a run, or its first characters')
    .argument('<right>', 'the id of another run, or its first characters')
    .action(
      (left: string, right: string, options: StoreOptions & CommonOptions & { readonly json?: boolean }) =>
        launch(options, async (context) => {
          const { runsCompareCommand } = await import('../commands/runs-compare.ts')
          return runsCompareCommand({ left, right }, options, context)
        }),
    )
}

function addFork(runs: Command, launch: Launch): void {
  addShared(runs.command('fork').description('start a new run from a turn of a run'))
    .argument('<run>', 'the id of a run, or its first characters')
    .requiredOption(
      '--at <turn>',
      'the turn to start from: 2 is turn 2 of the root run, 1.2/3 is turn 3 of the run that call 1.2 started',
    )
    .addOption(
      repeatable(
        '--card <path>',
        'an edited card that replaces the card of the same name, or the folder of a team',
      ),
    )
    .addOption(repeatable('--env <NAME=value>', 'a variable; overrides every other source'))
    .addOption(repeatable('--env-file <file>', 'a file of variables'))
    .option('--accept-changes', 'fork even if other cards have changed')
    .option('--events', 'print every event of the run as a line of JSON')
    .option('-y, --yes', 'approve every call that needs approval')
    .option('-q, --quiet', 'print only errors on stderr')
    .action((run: string, options: RunsForkOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { runsForkCommand } = await import('../commands/runs-fork.ts')
        return runsForkCommand(run, options, context)
      }),
    )
}

function addApprove(runs: Command, launch: Launch): void {
  addShared(
    runs
      .command('approve')
      .description('approve or deny the call that a run is waiting for, and resume the run'),
  )
    .argument('<run>', 'the id of a run, or its first characters')
    .argument('[approval]', 'the id of an approval, or its first characters; default: the only open one')
    .option('--deny', 'deny the call, or decline to answer the question')
    .option('--reason <text>', 'the reason for the model if the call is denied')
    .addOption(
      new Option('--link', 'do not decide, but print a link that lets another person decide once').conflicts([
        'deny',
        'reason',
      ]),
    )
    .addOption(repeatable('--env <NAME=value>', 'a variable; overrides every other source'))
    .option('--events', 'print every event of the run as a line of JSON')
    .option('-q, --quiet', 'print only errors on stderr')
    .action((run: string, approval: string | undefined, options: RunsApproveOptions & CommonOptions) =>
      launch(options, async (context) => {
        if (options.link === true) {
          const { runsLinkCommand } = await import('../commands/runs-link.ts')
          return runsLinkCommand({ run, approval }, options, context)
        }
        const { runsApproveCommand } = await import('../commands/runs-approve.ts')
        return runsApproveCommand({ run, approval }, options, context)
      }),
    )
}

function addAnswer(runs: Command, launch: Launch): void {
  addShared(
    runs.command('answer').description('answer the question that a run is waiting for, and resume the run'),
  )
    .argument('<run>', 'the id of a run, or its first characters')
    .argument('<question>', 'the id of a question, or its first characters')
    .argument('<text>', 'the answer; for a question with choices, the text or number of a choice')
    .addOption(repeatable('--env <NAME=value>', 'a variable; overrides every other source'))
    .option('--events', 'print every event of the run as a line of JSON')
    .option('-q, --quiet', 'print only errors on stderr')
    .action((run: string, question: string, text: string, options: RunCommandOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { runsAnswerCommand } = await import('../commands/runs-approve.ts')
        return runsAnswerCommand({ run, question, text }, options, context)
      }),
    )
}

function addPurge(runs: Command, launch: Launch): void {
  addShared(runs.command('purge').description('delete saved runs, except active ones'))
    .argument('[runs...]', 'the ids of runs, or their first characters')
    .option('--older-than <duration>', 'delete runs that have not changed for this long, such as 30d')
    .option('--keep <number>', 'keep this many of the latest runs and delete the others')
    .option('--max-bytes <number>', 'delete the oldest runs until the others take at most this many bytes')
    .option('--all', 'delete all runs')
    .action((runs: readonly string[], options: RunsPurgeOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { runsPurgeCommand } = await import('../commands/runs-purge.ts')
        return runsPurgeCommand(runs, options, context)
      }),
    )
}

const COPY_EXAMPLES = `
A store is a file or a PostgreSQL address. Runs that the target already has are skipped.

Examples:
  troupe store copy runs.db postgresql://troupe@db.example.com/troupe
  troupe store copy "$TROUPE_STORE" backup.db

Exit codes: 0 no errors, 1 a run could not be copied
`

/** Adds `troupe store copy`. */
export function addStore(program: Command, launch: Launch): void {
  const store = program.command('store').description('copy saved runs to another store').helpCommand(false)
  store
    .command('copy')
    .description('copy all saved runs to another store, except active ones')
    .argument('<from>', 'the file or PostgreSQL address to read')
    .argument('<to>', 'the file or PostgreSQL address to write')
    .option('-q, --quiet', 'print no progress')
    .option('--json', 'print JSON')
    .option('--no-color', 'switch colours off')
    .addHelpText('after', COPY_EXAMPLES)
    .action((from: string, to: string, options: StoreCopyOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { storeCopyCommand } = await import('../commands/store-copy.ts')
        return storeCopyCommand({ from, to }, options, context)
      }),
    )
}

/** Adds the options that all commands share, and the examples. */
function addShared(command: Command): Command {
  const examples = COMMAND_EXAMPLES.get(command.name()) ?? []
  return command
    .addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}\n`).join('')}`)
    .option(
      '--store <file>',
      'the file or PostgreSQL address with the runs; default: TROUPE_STORE, store.url, or runs.db in the state folder',
    )
    .option('--json', 'print JSON')
    .option('--no-color', 'switch colours off')
}
