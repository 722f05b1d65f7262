import { Option, type Command } from 'commander'
import type { TopOptions } from '../commands/top.ts'
import type { WorkerCommandOptions } from '../commands/worker.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addLongHelp } from './short-help.ts'
import { addTeamOptions } from './team-options.ts'

const WORKER_EXAMPLES = `
Takes runs from the queues in the database and executes them with these cards, which must be those of the server. All runs
of a team are in the queues, including those of agents that other agents call. On SIGTERM the worker takes no more runs and waits
for those in progress; other workers continue the rest. Run it under a service manager that restarts it: it exits with 70
if it loses the database connection that proves that it is alive.

Examples:
  troupe worker ./team --store postgresql://troupe@db.example.com/troupe
  TROUPE_STORE=postgresql://troupe@db.example.com/troupe troupe worker ./team --slots 32
  troupe serve ./team --executor dbos --store postgresql://troupe@db.example.com/troupe   # the server for these workers

Exit codes: 70 the worker has lost its connection, 143 SIGTERM, 2 wrong options or cards
`

const SHORT_WORKER_EXAMPLES = `
Examples:
  troupe worker ./team --store postgresql://troupe@db.example.com/troupe
`

/** Creates the option that selects where runs are executed. */
export function executorOption(): Option {
  return new Option(
    '--executor <where>',
    'where runs are executed: in this process, or by `troupe worker` on a store in PostgreSQL; default: in-process',
  ).choices(['in-process', 'dbos'])
}

/** Creates the option for the number of queues. */
export function depthsOption(): Option {
  return new Option(
    '--depths <number>',
    'the number of levels of agents that have a queue, the same for servers and workers; default: 4',
  )
}

export function addWorker(program: Command, launch: Launch): void {
  const command = program
    .command('worker')
    .description('execute runs that a server has queued in PostgreSQL')
    .argument('[cards...]', 'cards, or folders with cards; default: the current folder')
  addTeamOptions(command)
    .option('--store <address>', 'the PostgreSQL address of the store; default: TROUPE_STORE, or store.url')
    .option('--slots <number>', 'the number of runs at a time, for each level of agents; default: 16')
    .addOption(depthsOption())
    .option(
      '--max-runs <number>',
      'the number of runs at a time across all workers, for each level of agents',
    )
    .option('--max-runs-per-principal <number>', 'the same for the runs of one principal')
    .option('--max-starts <number>', 'the number of runs that all workers start per second, for each level')
    .option('--drain-timeout <duration>', 'the time for runs in progress after SIGTERM; default: 30s')
    .option('-q, --quiet', 'print only errors')
    .option('--no-color', 'switch colours off')
    .action((cards: readonly string[], options: WorkerCommandOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { workerCommand } = await import('../commands/worker.ts')
        return workerCommand(cards, options, context)
      }),
    )
  const daily = ['--model', '--env-file', '--store', '--slots', '--max-runs', '--drain-timeout', '--quiet']
  addLongHelp(command, { daily, examples: SHORT_WORKER_EXAMPLES, allExamples: WORKER_EXAMPLES })
}

const TOP_EXAMPLES = `
Examples:
  troupe top                                # the queues and workers of the store in TROUPE_STORE
  troupe top --watch                        # update every two seconds, until stopped
  troupe top --json | jq .workers
`

export function addTop(program: Command, launch: Launch): void {
  program
    .command('top')
    .description('print the queues, the workers and the runs in progress')
    .option('--store <address>', 'the PostgreSQL address of the store; default: TROUPE_STORE, or store.url')
    .option('-w, --watch', 'print again every two seconds, until stopped')
    .option('--json', 'print JSON')
    .option('--no-color', 'switch colours off')
    .addHelpText('after', TOP_EXAMPLES)
    .action((options: TopOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { topCommand } = await import('../commands/top.ts')
        return topCommand(options, context)
      }),
    )
}
