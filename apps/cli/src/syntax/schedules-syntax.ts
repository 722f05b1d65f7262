import type { Command } from 'commander'
import type { ScheduleRunOptions, SchedulesOptions } from '../commands/schedules.ts'
import type { CommonOptions, Launch } from '../terminal/context.ts'
import { addTeamOptions } from './team-options.ts'

const EXAMPLES = `
\`troupe serve\` starts the runs of schedules. A pause applies to all servers that use the same store.

Examples:
  troupe schedules list ./team               # list the schedules of a team with their next firing
  troupe schedules run daily ./team          # run a schedule once now
  troupe schedules pause daily ./team        # start no further runs of it
  troupe schedules resume daily ./team       # start runs of it again
`

const COMMAND_EXAMPLES: ReadonlyMap<string, readonly string[]> = new Map([
  ['list', ['troupe schedules list ./team', 'troupe schedules list ./team --json']],
  ['run', ['troupe schedules run daily ./team', 'troupe schedules run daily ./team --json']],
  ['pause', ['troupe schedules pause daily ./team --store /var/lib/troupe/runs.db']],
  ['resume', ['troupe schedules resume daily ./team --store /var/lib/troupe/runs.db']],
])

/** Adds `troupe schedules` with its commands. Each command is loaded when it is called. */
export function addSchedules(program: Command, launch: Launch): void {
  const schedules = program
    .command('schedules')
    .description('manage the schedules of a team: list, run, pause, resume')
    .helpCommand(false)
    .enablePositionalOptions()
    .addHelpText('after', EXAMPLES)
  addShared(
    schedules.command('list').description('list the schedules of a team with their last and next firing'),
  ).action((paths: readonly string[], options: SchedulesOptions & CommonOptions) =>
    launch(options, async (context) => {
      const { schedulesListCommand } = await import('../commands/schedules.ts')
      return schedulesListCommand(paths, options, context)
    }),
  )
  addNamed(schedules, 'run', 'run a schedule once now, and print the answer')
    .option('--events', 'print every event of the run as a line of JSON')
    .option('-y, --yes', 'approve every call that needs approval')
    .option('-q, --quiet', 'print only errors on stderr')
    .action((name: string, paths: readonly string[], options: ScheduleRunOptions & CommonOptions) =>
      launch(options, async (context) => {
        const { schedulesRunCommand } = await import('../commands/schedules.ts')
        return schedulesRunCommand({ name, paths }, options, context)
      }),
    )
  for (const [command, isPaused, description] of [
    ['pause', true, 'stop starting runs of a schedule, on every server of the store'],
    ['resume', false, 'resume a paused schedule; due times that passed meanwhile are skipped'],
  ] as const)
    addNamed(schedules, command, description).action(
      (name: string, paths: readonly string[], options: SchedulesOptions & CommonOptions) =>
        launch(options, async (context) => {
          const { schedulesPauseCommand } = await import('../commands/schedules.ts')
          return schedulesPauseCommand({ name, paths, isPaused }, options, context)
        }),
    )
}

function addNamed(schedules: Command, command: string, description: string): Command {
  return addShared(
    schedules
      .command(command)
      .description(description)
      .argument('<name>', 'the name of the schedule in troupe.json or the card'),
  )
}

/** Adds the arguments and options that all commands share, and the examples. */
function addShared(command: Command): Command {
  const examples = COMMAND_EXAMPLES.get(command.name()) ?? []
  return addTeamOptions(
    command.argument('[paths...]', 'cards, or folders with cards; default: the current folder'),
  )
    .addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}\n`).join('')}`)
    .option(
      '--store <file>',
      'the file with the runs; default: TROUPE_STORE, store.url, or runs.db in the state folder',
    )
    .option('--json', 'print JSON')
    .option('--no-color', 'switch colours off')
}
