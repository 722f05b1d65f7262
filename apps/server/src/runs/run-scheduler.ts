import type { HeadendContext, RunService } from '@troupe/headends'
import {
  createScheduler,
  type FiringResult,
  type FiringRunState,
  type FiringStart,
  type Schedule,
  type Scheduler,
} from '@troupe/schedules'
import { LOCAL_PRINCIPAL, toFailure, troupeError } from '@troupe/schema'
import type { RunStore, ScheduleTable } from '@troupe/schema/ports'
import type { ServedHost } from './served-runner.ts'

interface RunSchedulerParts {
  readonly host: Pick<ServedHost, 'schedules'>
  readonly store: Pick<RunStore, 'schedules'>
  readonly runService: Pick<RunService, 'startOnce' | 'readState'>
  readonly context: Pick<HeadendContext, 'clock' | 'newId' | 'runner' | 'onError'>
}

/**
 * Time in ms for which a run that no process works on counts as active, so that a server can resume it. One that
 * no server resumes, for example because its card has changed, must not stop its schedule forever.
 */
const RESUME_MS = 600_000

/** Creates the scheduler of a server. It starts the runs of the served agents as the operator. */
export function createRunScheduler({ host, store, runService, context }: RunSchedulerParts): Scheduler {
  const { clock, newId, runner, onError } = context
  return createScheduler({
    schedules() {
      const served = new Set(runner.agents().map(({ name }) => name))
      return host.schedules().filter(({ agent }) => served.has(agent))
    },
    table: store.schedules ?? NO_TABLE,
    clock,
    owner: newId('scheduler'),
    start: (firing, schedule) => startFiring(firing, schedule, runService),
    findRun: (runId) => findFiringRun(runId, { runService, clock }),
    onProblem: (problem) => onError?.(problem),
  })
}

async function startFiring(
  { runId, due }: FiringStart,
  { name, agent, input, priority }: Schedule,
  runService: Pick<RunService, 'startOnce'>,
): Promise<FiringResult> {
  const note = { schedule: { name, due: new Date(due).toISOString() } }
  try {
    const started = await runService.startOnce({
      agent,
      input,
      principal: LOCAL_PRINCIPAL,
      options: { runId, note, priority },
    })
    return ('outcome' in started ? started.error : undefined) ?? 'started'
  } catch (thrown) {
    const reason = toFailure(thrown)
    return reason.code === 'server_busy' || reason.code === 'store_locked' ? 'busy' : reason
  }
}

async function findFiringRun(
  runId: string,
  { runService, clock }: Pick<RunSchedulerParts, 'runService'> & Pick<HeadendContext, 'clock'>,
): Promise<FiringRunState> {
  try {
    const { state, open, changedAt = 0 } = await runService.readState(runId, LOCAL_PRINCIPAL)
    if (state === 'running' || state === 'waiting') return 'active'
    if (state !== 'queued' && state !== 'interrupted') return 'ended'
    return open || changedAt > clock.now() - RESUME_MS ? 'active' : 'ended'
  } catch (thrown) {
    if (toFailure(thrown).code === 'run_unknown') return 'unknown'
    throw thrown
  }
}

const unsupported = (): never => {
  throw troupeError('usage_invalid', 'The store does not support schedules.', {
    fix: 'Use a store of `@troupe/store`, or implement `schedules` of `RunStore`.',
  })
}

/** Stands for the table of a store without schedules. */
const NO_TABLE: ScheduleTable = {
  list: unsupported,
  register: unsupported,
  setPaused: unsupported,
  add: unsupported,
  claim: unsupported,
  settle: unsupported,
  firings: unsupported,
}
