import { fromEnd } from '@troupe/core'
import { redactValues } from '@troupe/env'
import type { Catalogue } from '@troupe/registry'
import {
  troupeError,
  type EventPayloads,
  type Redactor,
  type RunEvent,
  type RunReport,
  type RunRequest,
  type RunStore,
} from '@troupe/schema'
import { collectUnpriced, toReport } from './to-report.ts'

/** What a store holds of a root. */
export interface StoredRun {
  readonly request: RunRequest
  readonly events: readonly RunEvent[]
  /** Undefined: the root has not ended. */
  readonly end: EventPayloads['run-end'] | undefined
  /** The agents of the runs that have not ended, as they were then. */
  readonly unfinished: readonly RunRequest['agent'][]
}

/** Reads a root without opening it. Rejects with `run_unknown`, and `run_not_resumable` where too little is kept of it. */
export async function readStoredRun(
  store: Pick<RunStore, 'events' | 'steps'>,
  runId: string,
  redactor: Redactor | undefined,
): Promise<StoredRun> {
  const [events, steps] = await Promise.all([store.events(runId), store.steps(runId, runId)])
  if (events.length === 0) throw troupeError('run_unknown', `There is no run ${runId} in the store.`)
  const begin = steps.get('begin')
  if (begin === undefined)
    throw troupeError('run_not_resumable', `Only metadata is kept of the run ${runId}.`)
  const reveal = redactor?.reveal ?? same
  return {
    request: redactValues(begin, reveal) as unknown as RunRequest,
    events,
    end: steps.get('end') as EventPayloads['run-end'] | undefined,
    unfinished: unfinishedAgents(events),
  }
}

/** The agents of the runs that have begun and not ended. */
export function unfinishedAgents(events: readonly RunEvent[]): StoredRun['unfinished'] {
  const ended = new Set(events.flatMap((event) => (event.type === 'run-end' ? event.runId : [])))
  return events.flatMap((event) =>
    event.type === 'run-start' && !ended.has(event.runId) ? event.definition : [],
  )
}

/** Throws `run_changed` where an agent that has not ended is not what it was. */
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
  throw troupeError('run_changed', `The run ${request.runId} began with other cards: ${names} changed.`)
}

/** The report of a root that has ended, as its caller got it. */
export function storedReport({ request, events }: StoredRun, end: EventPayloads['run-end']): RunReport {
  const unpriced = collectUnpriced()
  for (const event of events)
    if (event.type === 'usage' && event.cost === null) unpriced.add(event.agent, event.tokens, event.model)
  const result = { runId: request.runId, agent: request.agent.name, ...fromEnd(end), messages: [] }
  return toReport(result, { format: end.output.format, sessionId: request.sessionId, unpriced })
}

function same(text: string): string {
  return text
}
