import { isJsonObject, troupeError, type EventDraft, type Outcome } from '@troupe/schema'
import {
  QUEUED_STEP,
  searchText,
  type LogEntry,
  type RootRunQuery,
  type SessionKey,
  type StoreDetail,
  type RootRunFilter,
} from '@troupe/schema/ports'

/** Properties of a root run that listings filter by, derived from its events. */
export interface RootRunFacts {
  readonly agent?: string
  /** Text for `searchText` of the schema package. Without the input if only metadata is stored. */
  readonly search?: string
  /** `undefined` if the root run has not ended. */
  readonly outcome?: Outcome
  /** Set if a person was asked, by the root run or a run below it. */
  readonly hasApprovalRequests?: true
}

/** Returns the properties that an event adds; `undefined` for most events. */
export function factsOf(event: EventDraft, detail: StoreDetail): RootRunFacts | undefined {
  if (event.type === 'approval-request') return { hasApprovalRequests: true }
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

/** Returns true if a root run meets all conditions of a query except `before` and `limit`. */
export function meetsQuery(
  {
    rootRunId,
    session,
    facts,
  }: { readonly rootRunId: string; readonly session: SessionKey | undefined; readonly facts: RootRunFacts },
  { principal, sessionId, inConversation, agent, outcomes, text, hasApprovalRequests }: RootRunQuery,
): boolean {
  return (
    (principal === undefined || session?.principal === principal) &&
    (sessionId === undefined || session?.sessionId === sessionId) &&
    (inConversation === undefined || (session !== undefined && session.sessionId !== rootRunId)) &&
    (agent === undefined || facts.agent === agent) &&
    (outcomes === undefined || outcomes.includes(facts.outcome ?? 'none')) &&
    (text === undefined || facts.search?.includes(text.toLowerCase()) === true) &&
    (hasApprovalRequests === undefined || facts.hasApprovalRequests === hasApprovalRequests)
  )
}

/** Returns a unique text for a session key. */
export function sessionKeyText({ principal, sessionId }: SessionKey): string {
  return `${principal.length} ${principal}${sessionId}`
}

/** Returns true if a session matches a filter. */
export function matchesSession(
  session: SessionKey | undefined,
  { principal, sessionId }: RootRunFilter,
): boolean {
  return session?.principal === principal && (sessionId === undefined || session.sessionId === sessionId)
}

/** Creates the error for a session that has another open run. */
export function sessionBusyError(rootRunId: string): Error {
  return troupeError('session_busy', `The run ${rootRunId} of this session has not ended.`)
}

/** Creates the error for a root run that is unknown, or unknown to the principal. */
export function runUnknownError(rootRunId: string): Error {
  return troupeError('run_unknown', `There is no run ${rootRunId.slice(0, 100)} in the store.`)
}
