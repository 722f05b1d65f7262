import { Cron } from 'croner'
import { errorMessage, failure, type Failure, type JsonObject } from '@troupe/schema'
import type { AgentSchedule } from '@troupe/schema/agent-keys'
import { canonicalJson, sha256Hex } from '@troupe/schema/json'
import { DEFAULT_PRIORITY, type FiringKey } from '@troupe/schema/ports'

/** A schedule of a team with all defaults filled in. */
export interface Schedule {
  /** Unique within the store. */
  readonly name: string
  /** The agent that its runs start. */
  readonly agent: string
  readonly cron: string
  readonly timeZone: string
  readonly input: string | JsonObject
  readonly overlap: NonNullable<AgentSchedule['overlap']>
  readonly catchUp: NonNullable<AgentSchedule['catchUp']>
  readonly priority: number
}

/** Fills in the defaults of a schedule of an agent. */
export function toSchedule(written: AgentSchedule, agent: string): Schedule {
  const { name = agent, cron, timeZone = 'UTC', input = '', overlap = 'skip', catchUp = 'none' } = written
  const { priority = DEFAULT_PRIORITY } = written
  return { name, agent, cron, timeZone, input, overlap, catchUp, priority }
}

/** A problem of one key of a schedule. */
export interface ScheduleProblem {
  readonly key: 'cron' | 'timeZone'
  readonly problem: Failure
}

/** Returns why a schedule can have no due times: an invalid expression or time zone, or one that never fires. */
export function findScheduleProblem({
  cron,
  timeZone,
}: Pick<Schedule, 'cron' | 'timeZone'>): ScheduleProblem | undefined {
  const problem = (key: ScheduleProblem['key'], message: string, fix: string): ScheduleProblem => ({
    key,
    problem: failure('schedule_invalid', `${key}: ${message}.`, fix),
  })
  if (!isTimeZone(timeZone))
    return problem(
      'timeZone',
      `"${timeZone}" is not a time zone`,
      'Write the name of an IANA time zone, such as Europe/Berlin, or UTC.',
    )
  try {
    if (parseCron({ cron, timeZone }).nextRun() !== null) return undefined
  } catch (thrown) {
    const why = errorMessage(thrown)
      .replace(/^CronPattern: /u, '')
      .replace(/\.$/u, '')
    return problem(
      'cron',
      `"${cron}" is not a cron expression: ${why}`,
      'Write five fields: minute, hour, day of the month, month, day of the week; such as `0 9 * * 1-5`.',
    )
  }
  return problem(
    'cron',
    `"${cron}" never fires`,
    'Write a date that exists; `30 2` in the month field is not one.',
  )
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch (thrown) {
    if (thrown instanceof RangeError) return false
    throw thrown
  }
}

/**
 * Parses the expression. A time that does not exist because the clock goes forward fires when the clock has
 * changed, and one that occurs twice fires once; `*` and steps fire at every real interval.
 */
export function parseCron({ cron, timeZone }: Pick<Schedule, 'cron' | 'timeZone'>): Cron {
  return new Cron(cron, { timezone: timeZone, paused: true, mode: '5-part', fixedTimeRule: 'no-wildcard' })
}

/** Returns a text that differs for schedules with different due times. */
export function scheduleDefinition({ cron, timeZone }: Pick<Schedule, 'cron' | 'timeZone'>): string {
  return `${timeZone} ${cron}`
}

/** Returns the id of the run of a firing, which is the same in every process. */
export function firingRunId({ schedule, due }: FiringKey): string {
  return derivedRunId('schedule', schedule, due)
}

/** Returns a run id that depends only on the parts, so that every process starts the same run. */
export function derivedRunId(...parts: readonly (string | number)[]): string {
  return `run_${sha256Hex(canonicalJson(parts)).slice(0, 32)}`
}
