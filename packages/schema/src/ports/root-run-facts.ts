import { troupeError, type Outcome } from '../errors/errors.ts'
import type { EventDraft } from '../events/event.ts'
import { isJsonObject } from '../text/json.ts'
import { QUEUED_STEP, searchText, type LogEntry, type StoreDetail } from './run-store.ts'

/** Properties of a root run that listings filter by, derived from its events. */
export interface RootRunFacts {
  readonly agent?: string
  /** Text from `searchText`. Without the input if only metadata is stored. */
  readonly search?: string
  /** `undefined` if the root run has not ended. */
  readonly outcome?: Outcome
  /** Set if a person was asked, by the root run or a run below it. */
  readonly hasApprovalRequests?: true
}

/** Returns the properties that an event adds; `undefined` for most events. */
export function factsOf(event: EventDraft, detail: StoreDetail): RootRunFacts | undefined {
  if (event.type === 'approval-request' && event.client === undefined) return { hasApprovalRequests: true }
  if (event.runId !== event.rootRunId) return undefined
  if (event.type === 'run-end') return { outcome: event.outcome }
  if (event.type !== 'run-start') return undefined
  const { runId, agent, input } = event
  return { agent, search: searchText({ runId, agent, input: detail === 'full' ? input : '' }) }
}

/** Returns the properties that an entry adds: those of its event, or of a run that was only accepted. */
export function factsOfEntry(
  { runId, step, event }: LogEntry,
  detail: StoreDetail,
): RootRunFacts | undefined {
  if (event !== undefined) return factsOf(event, detail)
  if (step?.key !== QUEUED_STEP || detail !== 'full' || !isJsonObject(step.value)) return undefined
  const { agent, input } = step.value
  if (!isJsonObject(agent) || typeof agent['name'] !== 'string' || typeof input !== 'string') return undefined
  const { name } = agent
  return { agent: name, search: searchText({ runId, agent: name, input }) }
}

/** Creates the error for a session that has another open run. */
export function sessionBusyError(rootRunId: string): Error {
  return troupeError('session_busy', `The run ${rootRunId} of this session has not ended.`)
}

/** Creates the error for a root run that is unknown, or unknown to the principal. */
export function runUnknownError(rootRunId: string): Error {
  return troupeError('run_unknown', `There is no run ${rootRunId.slice(0, 100)} in the store.`)
}
