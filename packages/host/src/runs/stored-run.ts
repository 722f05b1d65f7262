import { resultFromEnd } from '@troupe/core'
import { redactValues } from '@troupe/env'
import type { Catalogue } from '@troupe/registry'
import {
  isJsonObject,
  troupeError,
  type EventPayloads,
  type Json,
  type RunEvent,
  type RunReport,
} from '@troupe/schema'
import {
  QUEUED_STEP,
  type Redactor,
  type RunRequest,
  type RunStore,
  type TeamOverrides,
} from '@troupe/schema/ports'
import { collectUnpriced, toReport } from './report.ts'

/** A root run as read from a store. */
export interface StoredRun {
  readonly request: RunRequest
  /** Empty if the run was accepted and has not started. */
  readonly events: readonly RunEvent[]
  /** `undefined` if the run has not ended. */
  readonly end: EventPayloads['run-end'] | undefined
  /** Agents of unfinished runs, as they were when those runs started. */
  readonly unfinished: readonly RunRequest['agent'][]
}

/**
 * Reads a root run without opening its log. Rejects with `run_unknown`, or `run_not_resumable` if only
 * metadata is stored.
 */
export async function readStoredRun(
  store: Pick<RunStore, 'events' | 'steps'>,
  runId: string,
  redactor: Redactor | undefined,
): Promise<StoredRun> {
  const [events, steps] = await Promise.all([store.events(runId), store.steps(runId, runId)])
  const begin = requestIn(steps)
  if (begin === undefined && events.length === 0)
    throw troupeError('run_unknown', `There is no run ${runId} in the store.`)
  if (begin === undefined)
    throw troupeError('run_not_resumable', `The store has only metadata of the run ${runId}.`)
  const reveal = redactor?.reveal ?? same
  return {
    request: redactValues(begin, reveal) as unknown as RunRequest,
    events,
    end: steps.get('end') as EventPayloads['run-end'] | undefined,
    unfinished: unfinishedAgents(events),
  }
}

/** Returns the stored request of a root run, whether it has started or was only accepted. */
function requestIn(steps: ReadonlyMap<string, Json>): Json | undefined {
  return steps.get('begin') ?? steps.get(QUEUED_STEP)
}

/** Returns the agents of runs that have started but not ended. */
export function unfinishedAgents(events: readonly RunEvent[]): StoredRun['unfinished'] {
  const ended = new Set(events.flatMap((event) => (event.type === 'run-end' ? event.runId : [])))
  return events.flatMap((event) =>
    event.type === 'run-start' && !ended.has(event.runId) ? event.definition : [],
  )
}

/** Throws `run_changed` if an unfinished agent has changed and is not in `accepted`. */
export function refuseChanges(
  { request, unfinished }: Pick<StoredRun, 'request' | 'unfinished'>,
  catalogue: Catalogue,
  accepted: readonly string[] = [],
): void {
  const changed = unfinished.filter(
    ({ name, digest }) => !accepted.includes(name) && catalogue.get(name)?.digest !== digest,
  )
  if (changed.length === 0) return
  const names = [...new Set(changed.map(({ name }) => name))].join(', ')
  throw troupeError('run_changed', `Cards have changed since the run ${request.runId} started: ${names}.`)
}

/** Returns the report of a finished root run as its caller got it. */
export function storedReport({ request, events }: StoredRun, end: EventPayloads['run-end']): RunReport {
  const unpriced = collectUnpriced()
  for (const event of events)
    if (event.type === 'usage' && event.cost === null) unpriced.add(event.agent, event.tokens, event.model)
  const result = { runId: request.runId, agent: request.agent.name, ...resultFromEnd(end), messages: [] }
  return toReport(result, { format: end.output.format, sessionId: request.sessionId, unpriced })
}

function same(text: string): string {
  return text
}

/** Returns the changes that a stored run was started with, or `undefined` if there were none. */
export async function storedChanges(
  store: Pick<RunStore, 'steps'>,
  runId: string,
  redactor: Redactor | undefined,
): Promise<TeamOverrides | undefined> {
  const begin = requestIn(await store.steps(runId, runId))
  const team = isJsonObject(begin) ? begin['team'] : undefined
  if (!isJsonObject(team)) return undefined
  // Written by a host as part of a request, so it is valid.
  return redactValues(team, redactor?.reveal ?? ((text) => text)) as TeamOverrides
}

/** Merges changes; later ones win. Returns `undefined` if there are none. */
export function mergeChanges(
  before: TeamOverrides = {},
  after: TeamOverrides = {},
): TeamOverrides | undefined {
  const { model = before.model } = after
  const prompts = { ...before.prompts, ...after.prompts }
  const agents = { ...before.agents, ...after.agents }
  const merged: TeamOverrides = {
    ...(model === undefined ? {} : { model }),
    ...(Object.keys(prompts).length === 0 ? {} : { prompts }),
    ...(Object.keys(agents).length === 0 ? {} : { agents }),
  }
  return Object.keys(merged).length === 0 ? undefined : merged
}
