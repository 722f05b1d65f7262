import { Option, type Command } from 'commander'
import type { CommandContext, CommonOptions, Launch } from '../terminal/context.ts'
import type { RunsForkOptions } from '../commands/runs-fork.ts'
import type { RunCommandOptions } from '../commands/run.ts'
import type { RunsApproveOptions } from '../commands/runs-approve.ts'
import type { RunsListOptions } from '../commands/runs-list.ts'
import type { RunsPurgeOptions } from '../commands/runs-purge.ts'
import type { StoreOptions } from '../run-store/open-store.ts'
import { repeatable } from './team-options.ts'

const EXAMPLES = `
A run is named by its id or the beginning of it.

Examples:
  troupe runs list                       the last runs: outcome, cost, duration
  troupe runs show run_3f2a              who called whom, what came back, what it cost
  troupe runs tail run_3f2a              a run of another process as it goes
  troupe runs export run_3f2a > run.jsonl
  troupe runs export run_3f2a --cassette > run.yaml
  troupe runs fork run_3f2a --at 2 --card ../edited.md   the same until turn 2, then with another card
  troupe runs approve run_3f2a           allow the call that the run waits for
  troupe runs answer run_3f2a run_3f2a "Nine o'clock"   answer the question that it waits for
  troupe runs purge --older-than 30d
`

type RunInspection = (run: string, options: InspectOptions, context: CommandContext) => Promise<number>
type InspectOptions = StoreOptions & CommonOptions & { readonly after?: string; readonly cassette?: boolean }

/** Adds `troupe runs` and its commands. Each command is loaded when it is called. */
export function addRuns(program: Command, launch: Launch): void {
  const runs = program
    .command('runs')
    .description(
      'look at the runs that are kept: list, show, tree, events, tail, export, fork, approve, answer, purge',
    )
    .helpCommand(false)
    .enablePositionalOptions()
    .addHelpText('after', EXAMPLES)
  addList(runs, launch)
  const addInspect = (name: string, description: string, load: () => Promise<RunInspection>): Command =>
    addShared(
      runs.command(name).description(description).argument('<run>', 'the id of a run, or its beginning'),
    ).action((run: string, options: InspectOptions) =>
      launch(options, async (context) => (await load())(run, options, context)),
    )
  addInspect('show', 'a run: who called whom, what came back, what it cost', async () => {
    const { runsShowCommand } = await import('../commands/runs-show.ts')
    return runsShowCommand
  })
  addInspect(
    'tree',
    'the agents of a run, below each those it called, and the steps for `fork`',
    async () => {
      const { runsTreeCommand } = await import('../commands/runs-tree.ts')
      return runsTreeCommand
    },
  )
  addInspect('events', 'every event of a run: a line each, with --json one of JSON', async () => {
    const { runsEventsCommand } = await import('../commands/runs-events.ts')
    return runsEventsCommand
  }).addOption(new Option('--after <seq>', 'only those after this number'))
  addInspect('tail', 'the same, and what comes, until the run has ended', async () => {
    const { runsTailCommand } = await import('../commands/runs-events.ts')
    return runsTailCommand
  })
  addInspect('export', 'all that is kept of a run as lines of JSON', async () => {
    const { runsExportCommand } = await import('../commands/runs-export.ts')
    return runsExportCommand
  }).option('--cassette', 'a recording that `troupe run <card> --replay` plays')
  addFork(runs, launch)
  addApprove(runs, launch)
  addAnswer(runs, launch)
  addPurge(runs, launch)
}

function addList(runs: Command, launch: Launch): void {
  addShared(runs.command('list').description('the last runs, the latest first'))
    .option('--limit <number>', 'at most so many', '20')
    .option('--agent <name>', 'only those of this agent')
    .option('--session <id>', 'only those of this conversation')
    .option(
      '--state <state>',
      'only those that ended so, or are `running`, `waiting`, `interrupted` or `damaged`',
    )
    .action((options: RunsListOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { runsListCommand } = await import('../commands/runs-list.ts')
        return runsListCommand(options, context)
      }),
    )
}

function addFork(runs: Command, launch: Launch): void {
  addShared(runs.command('fork').description('go on live from a step of a run, as a new run'))
    .argument('<run>', 'the id of a run, or its beginning')
    .requiredOption('--at <step>', 'the turn: 2 of the root, 1.2/3 of the run that its call 1.2 opened')
    .addOption(
      repeatable('--card <path>', 'an edited card in place of the one of its name, or the folder of a team'),
    )
    .addOption(repeatable('--env <key=value>', 'a variable, before all others'))
    .addOption(repeatable('--env-file <file>', 'a file of variables'))
    .option('--accept-changes', 'also when other cards have changed since')
    .option('--events', 'print every event of the run as a line of JSON')
    .option('-y, --yes', 'approve every call that asks')
    .option('-q, --quiet', 'print nothing on stderr but errors')
    .action((run: string, options: RunsForkOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { runsForkCommand } = await import('../commands/runs-fork.ts')
        return runsForkCommand(run, options, context)
      }),
    )
}

function addApprove(runs: Command, launch: Launch): void {
  addShared(
    runs.command('approve').description('decide on a call that a run waits for, and go on with the run'),
  )
    .argument('<run>', 'the id of a run, or its beginning')
    .argument('[approval]', 'the id of an approval, or its beginning; default: the only one')
    .option('--deny', 'do not allow the call, or do not answer')
    .option('--reason <text>', 'what the model is told of a call that is denied')
    .addOption(repeatable('--env <key=value>', 'a variable for the agents of this run'))
    .option('--events', 'print every event of the run as a line of JSON')
    .option('-q, --quiet', 'print nothing on stderr but errors')
    .action((run: string, approval: string | undefined, options: RunsApproveOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { runsApproveCommand } = await import('../commands/runs-approve.ts')
        return runsApproveCommand({ run, approval }, options, context)
      }),
    )
}

function addAnswer(runs: Command, launch: Launch): void {
  addShared(
    runs.command('answer').description('answer a question that a run waits for, and go on with the run'),
  )
    .argument('<run>', 'the id of a run, or its beginning')
    .argument('<question>', 'the id of a question, or its beginning')
    .argument('<text>', 'the answer; of choices the text or the number')
    .addOption(repeatable('--env <key=value>', 'a variable for the agents of this run'))
    .option('--events', 'print every event of the run as a line of JSON')
    .option('-q, --quiet', 'print nothing on stderr but errors')
    .action((run: string, question: string, text: string, options: RunCommandOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { runsAnswerCommand } = await import('../commands/runs-approve.ts')
        return runsAnswerCommand({ run, question, text }, options, context)
      }),
    )
}

function addPurge(runs: Command, launch: Launch): void {
  addShared(runs.command('purge').description('forget runs that nobody works on'))
    .argument('[runs...]', 'ids of runs, or their beginnings')
    .option('--older-than <duration>', 'those that were last written so long ago, such as 30d')
    .option('--keep <number>', 'all but so many, the latest')
    .option('--max-bytes <number>', 'the oldest, until the others take no more than so many bytes')
    .option('--all', 'all of them')
    .action((given: readonly string[], options: RunsPurgeOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { runsPurgeCommand } = await import('../commands/runs-purge.ts')
        return runsPurgeCommand(given, options, context)
      }),
    )
}

function addShared(command: Command): Command {
  return command
    .option('--store <file>', 'the file that keeps the runs; default: runs.db in the state folder')
    .option('--json', 'print JSON')
    .option('--no-color', 'without colours')
}
