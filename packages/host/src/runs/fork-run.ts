import { changeText, firstChange } from '@troupe/cassette'
import { randomId } from '@troupe/core'
import type { RunStore } from '@troupe/schema'
import { withHistory } from '../conversation/stored-history.ts'
import { copyPrefix } from '../fork/copy-prefix.ts'
import { findStep } from '../fork/find-step.ts'
import { forkedRequest } from '../fork/forked-request.ts'
import type { TeamSnapshot } from '../team-snapshot.ts'
import type { Fork, ForkOptions } from '../host-types.ts'
import { mergeChanges, storedChanges } from '../team/team-changes.ts'
import { findAgent } from './find-agent.ts'
import type { RunsContext } from './runs-context.ts'
import { readStoredRun, refuseChanges, unfinishedAgents, type StoredRun } from './stored-run.ts'
import { useTeam } from './use-team.ts'

/**
 * Starts a run with a copy of another run up to a step, and continues with the current cards. Also returns
 * the first difference.
 */
export async function forkRun(runId: string, options: ForkOptions, context: RunsContext): Promise<Fork> {
  const { team } = context
  const { prompts = {} } = options
  const store = context.requireStore()
  const before = await storedChanges(store, runId, team.current.redactor)
  const changes = mergeChanges(before, { prompts })
  const branch = (snapshot: TeamSnapshot): Promise<Fork> =>
    fork(runId, { ...options, prompts, changes, store }, { ...context, snapshot })
  return useTeam(team, branch, changes)
}

type Branch = Omit<ForkOptions, 'prompts'> & {
  readonly prompts: NonNullable<ForkOptions['prompts']>
  readonly changes: ReturnType<typeof mergeChanges>
  readonly store: RunStore
}

async function fork(
  runId: string,
  { at, acceptChanges = [], note, prompts, changes, store, ...options }: Branch,
  { snapshot, roots, clock }: RunsContext & { readonly snapshot: TeamSnapshot },
): Promise<Fork> {
  const { loaded, redactor, executor: starter } = snapshot
  const stored = await readStoredRun(store, runId, redactor)
  const count = findStep(stored.events, at)
  const { definition } = findAgent(loaded, stored.request.agent.name).member
  if (acceptChanges !== true)
    refuseOthers(stored, { count, accepted: [...(acceptChanges || []), ...Object.keys(prompts)], snapshot })
  const newRunId = options.runId ?? randomId('run')
  const request = forkedRequest(stored.request, { newRunId, definition, note, team: changes })
  const prefix = await copyPrefix(stored.events, {
    count,
    now: clock.now(),
    request,
    steps: async (id) => store.steps(runId, id),
    definition: (name) => loaded.catalogue.get(name),
  })
  const report = await roots.fork({
    team: snapshot,
    definition,
    request: await withHistory(request, { store, redactor }),
    prefix,
    store,
    options,
    starter,
  })
  const change = firstChange(stored.events, await store.events(newRunId))
  return { report, taken: count, ...(change === undefined ? {} : { change: changeText(change) }) }
}

/** Throws unless all changed agents are accepted. */
function refuseOthers(
  stored: StoredRun,
  {
    count,
    accepted,
    snapshot,
  }: { readonly count: number; readonly accepted: readonly string[]; readonly snapshot: TeamSnapshot },
): void {
  const unfinished = unfinishedAgents(stored.events.slice(0, count))
  refuseChanges({ ...stored, unfinished }, snapshot.loaded.catalogue, accepted)
}
