import { changeText, firstChange } from '@troupe/cassette'
import { createResumeState, randomId } from '@troupe/core'
import { troupeError, type AgentDefinition, type JsonObject, type RunReport } from '@troupe/schema'
import type { RunRequest, TeamOverrides } from '@troupe/schema/ports'
import { withHistory } from '../conversations/stored-conversations.ts'
import { findAgent } from '../plan/find-agent.ts'
import type { TeamSnapshot } from '../snapshot/team-snapshot.ts'
import { useTeam } from '../snapshot/team-snapshots.ts'
import { runRoot } from './dispatch-run.ts'
import { copyPrefix, findStep } from './fork-prefix.ts'
import type { ResumeOptions } from './resume-run.ts'
import { noteOfRun, type RunsContext } from './runs-context.ts'
import {
  mergeChanges,
  readStoredRun,
  refuseChanges,
  storedChanges,
  unfinishedAgents,
  type StoredRun,
} from './stored-run.ts'

/** Options of `Host.fork`. */
export interface ForkOptions extends Omit<ResumeOptions, 'acceptChanges'> {
  /**
   * The turn from which the fork runs live: `2` of the root run, `1.2/3` of the run opened by its call 1.2.
   */
  readonly at: string
  /** Names of agents whose cards may have changed since, or `true` for all. Default: none. */
  readonly acceptChanges?: boolean | readonly string[]
  /** Id of the new run. Default: a random id. */
  readonly runId?: string
  /** Prompts by agent name that replace those of the cards. The card files stay unchanged. */
  readonly prompts?: Readonly<Record<string, string>>
  /** Replaces the note stored with the run. */
  readonly note?: JsonObject
}

/** Result of a fork. */
export interface Fork {
  readonly report: RunReport
  /** Number of events copied from the original run. */
  readonly taken: number
  /** Description of the first difference between the runs. `undefined` if they are equal. */
  readonly change?: string
}

/**
 * Starts a run with a copy of another run up to a step, and continues with the current cards like a resumed
 * run. Also returns the first difference.
 */
export async function forkRun(
  runId: string,
  { at, acceptChanges = [], note, prompts = {}, ...options }: ForkOptions,
  context: RunsContext,
): Promise<Fork> {
  const { team, clock } = context
  const store = context.requireStore()
  const changes = mergeChanges(await storedChanges(store, runId, team.current.redactor), { prompts })
  const fork = async (snapshot: TeamSnapshot): Promise<Fork> => {
    const { loaded, redactor } = snapshot
    const stored = await readStoredRun(store, runId, redactor)
    const count = findStep(stored.events, at)
    const { definition } = findAgent(loaded, stored.request.agent.name).member
    if (acceptChanges !== true)
      requireAcceptedChanges(stored, {
        count,
        accepted: [...(acceptChanges || []), ...Object.keys(prompts)],
        snapshot,
      })
    const newRunId = options.runId ?? randomId('run')
    const forked = forkedRequest(stored.request, {
      newRunId,
      definition,
      note: noteOfRun(note ?? stored.request.note, snapshot, context).note,
      team: changes,
    })
    const prefix = await copyPrefix(stored.events, {
      count,
      now: clock.now(),
      request: forked,
      steps: async (id) => store.steps(runId, id),
      definition: (name) => loaded.catalogue.get(name),
    })
    const request = await withHistory(forked, { store, redactor })
    requireFullStore(snapshot, definition.name)
    const report = await context.live.start(newRunId, async (handle) => {
      const { sessionId, principal } = request
      const log = await store.open(newRunId, context.owner, { session: { sessionId, principal } })
      for (const entry of prefix) log.append(entry)
      await log.waitForCommit()
      const events = await store.events(newRunId)
      const past = createResumeState({ events, steps: async (id) => log.steps(id), idle: [], clock })
      return runRoot({ team: snapshot, definition, request, options, log, past }, handle, context)
    })
    const change = firstChange(stored.events, await store.events(newRunId))
    return { report, taken: count, ...(change === undefined ? {} : { change: changeText(change) }) }
  }
  return useTeam(team, fork, changes)
}

/** Throws unless all changed agents are accepted. */
function requireAcceptedChanges(
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

/** Throws `run_not_resumable` if runs of the agent are not fully stored. */
function requireFullStore(team: TeamSnapshot, name: string): void {
  const detail = team.storeDetailOf(name)
  if (detail !== 'full')
    throw troupeError('run_not_resumable', `${name} has \`store: ${detail}\`, so its runs cannot be forked.`)
}

/**
 * Creates the request of a fork from that of the original root run, with the current definition and a new
 * session that starts with the same history. The fork has no client, so the tools and the trace of the client are
 * left out.
 */
function forkedRequest(
  request: RunRequest,
  to: {
    readonly newRunId: string
    readonly definition: Pick<AgentDefinition, 'name' | 'digest'>
    readonly note: JsonObject | undefined
    readonly team: TeamOverrides | undefined
  },
): RunRequest {
  const {
    runId: _runId,
    sessionId: _sessionId,
    clientTools: _clientTools,
    traceContext: _traceContext,
    ...rest
  } = request
  const { newRunId, definition, note, team } = to
  return {
    ...rest,
    runId: newRunId,
    rootRunId: newRunId,
    sessionId: newRunId,
    agent: { name: definition.name, digest: definition.digest },
    ...(team === undefined ? {} : { team }),
    ...(note === undefined ? {} : { note }),
  }
}
