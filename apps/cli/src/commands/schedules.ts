import type { Host, PlanProblem } from '@troupe/host'
import {
  firingRunId,
  listSchedules,
  scheduleDefinition,
  type ListedSchedule,
  type Schedule,
} from '@troupe/schedules'
import { closest } from '@troupe/schema/text'
import { troupeError } from '@troupe/schema'
import type { RunStore, ScheduleTable } from '@troupe/schema/ports'
import { plainText } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT, exitCodeOfRun } from '../terminal/exit-code.ts'
import { printFindings } from '../reporter/plan-problems.ts'
import { scheduleTable } from '../reporter/schedule-table.ts'
import {
  openExistingStore,
  openRunStore,
  storeExists,
  storeLocation,
  type StoreOptions,
} from '../run-store/open-store.ts'
import { summarise } from '../run-store/run-summary.ts'
import { withHost, type TeamOptions } from '../team/load-host.ts'
import { printResult, printNextCommand } from '../watch/result.ts'
import { watchRun, type RunDisplayOptions } from '../watch/watch-run.ts'

/** Options of every `troupe schedules` command. */
export interface SchedulesOptions extends TeamOptions, StoreOptions {
  readonly json?: boolean
}

/** Options of `troupe schedules run`. */
export type ScheduleRunOptions = SchedulesOptions & Omit<RunDisplayOptions, 'json'>

/** A schedule by name, and the cards of its team. */
interface NamedSchedule {
  readonly name: string
  readonly paths: readonly string[]
}

/**
 * Runs `troupe schedules list [paths…]`: lists the schedules of a team with their last and next firing. Prints the
 * errors of the team, which may hide schedules, and returns 2 if there are any.
 */
export async function schedulesListCommand(
  paths: readonly string[],
  options: SchedulesOptions,
  context: CommandContext,
): Promise<number> {
  // Without an earlier run there is no file, and the schedules have not fired.
  const located = { ...options, paths }
  const location = await storeLocation(located, context)
  const isStored = location !== undefined && (location.isNamed || storeExists(location))
  const store = isStored ? await openExistingStore(located, context) : undefined
  return withHost(paths, { store, options }, context, async (host) => {
    const schedules = await listSchedules(host.schedules(), store?.schedules, context.clock.now())
    const errors = teamErrors(host)
    printFindings(errors, {}, context)
    const { stdout, outStyle } = context.terminal
    if (options.json === true) stdout.write(`${JSON.stringify(schedules, null, 2)}\n`)
    else if (schedules.length > 0 || errors.length === 0)
      for (const line of scheduleTable(schedules, await lastRunStates(schedules, store), outStyle))
        stdout.write(`${line}\n`)
    return errors.length > 0 ? EXIT.usage : EXIT.completed
  })
}

/** Returns the states of the last runs that schedules have started, by run id. */
async function lastRunStates(
  schedules: readonly ListedSchedule[],
  store: RunStore | undefined,
): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>()
  for (const { last } of schedules) {
    if (last?.state !== 'started' || store === undefined) continue
    const [root] = await store.roots({ rootRunId: last.runId })
    const summary = root === undefined ? undefined : await summarise(store, root)
    if (summary !== undefined) states.set(last.runId, summary.state)
  }
  return states
}

/** Returns the errors of a team, without that of an ambiguous entry agent, because schedules need none. */
function teamErrors(host: Host): readonly PlanProblem[] {
  return host
    .plan()
    .problems.filter(({ severity, code }) => severity === 'error' && code !== 'agent_ambiguous')
}

/** Runs `troupe schedules pause|resume NAME [paths…]`. */
export async function schedulesPauseCommand(
  { name, paths, isPaused }: NamedSchedule & { readonly isPaused: boolean },
  options: SchedulesOptions,
  context: CommandContext,
): Promise<number> {
  const store = await openRunStore({ ...options, paths }, context)
  return withHost(paths, { store, options }, context, async (host) => {
    await register(findSchedule(host, name, context), store, context)
    await requireTable(store).setPaused(name, isPaused, context.clock.now())
    const text = options.json === true ? JSON.stringify({ name, isPaused }) : pauseText(name, isPaused)
    context.terminal.stdout.write(`${text}\n`)
    return EXIT.completed
  })
}

function pauseText(name: string, isPaused: boolean): string {
  return `${plainText(name)} ${isPaused ? 'paused' : 'resumed'}`
}

/** Runs `troupe schedules run NAME [paths…]`: runs a schedule once now, in this process. */
export async function schedulesRunCommand(
  { name, paths }: NamedSchedule,
  options: ScheduleRunOptions,
  context: CommandContext,
): Promise<number> {
  const store = await openRunStore({ ...options, paths }, context)
  return withHost(paths, { store, options, isTraced: true }, context, async (host) => {
    const schedule = findSchedule(host, name, context)
    const { priority } = schedule
    const due = context.clock.now()
    const runId = firingRunId({ schedule: name, due })
    await register(schedule, store, context)
    await requireTable(store).add(name, [{ due, runId, state: 'started' }])
    const note = { schedule: { name, due: new Date(due).toISOString() } }
    const watched = await watchRun(
      (watching) => host.run(schedule.agent, schedule.input, { ...watching, runId, note, priority }),
      { ...options, writeTarget: host.writeTarget },
      context,
    )
    await printResult(watched, options, context)
    await printNextCommand(watched, { host, runStore: store }, options, context)
    return context.stop.exitCode ?? exitCodeOfRun(watched.report, {})
  })
}

/**
 * Throws `schedule_unknown` if the team has no schedule with this name. Before, prints the errors of the team,
 * which may hide the schedule.
 */
function findSchedule(host: Host, name: string, context: CommandContext): Schedule {
  const schedules = host.schedules()
  const schedule = schedules.find((each) => each.name === name)
  if (schedule !== undefined) return schedule
  printFindings(teamErrors(host), {}, context)
  const names = schedules.map((each) => each.name)
  const suggestion = closest(name, names)
  const hint = suggestion === undefined ? '.' : `; did you mean "${suggestion}"?`
  throw troupeError(
    'schedule_unknown',
    `There is no schedule "${name}"${hint} Known: ${names.join(', ') || 'none'}.`,
  )
}

/** Adds the schedule to the store, in case no server has done so yet. */
async function register(
  schedule: Schedule,
  store: RunStore | undefined,
  { clock }: CommandContext,
): Promise<void> {
  const definition = scheduleDefinition(schedule)
  await requireTable(store).register({ name: schedule.name, definition, now: clock.now() })
}

function requireTable(store: RunStore | undefined): ScheduleTable {
  if (store?.schedules !== undefined) return store.schedules
  throw troupeError('store_unavailable', 'Schedules need a store.', { fix: 'Pass a file with `--store`.' })
}
