import type { RootRunFacts, RootRunFilter, RootRunQuery, RunLabel, SessionKey } from '@troupe/schema/ports'

/** Returns true if a root run meets all conditions of a query except `before` and `limit`. */
export function meetsQuery(
  {
    rootRunId,
    session,
    facts,
    label,
  }: {
    readonly rootRunId: string
    readonly session: SessionKey | undefined
    readonly facts: RootRunFacts
    readonly label: RunLabel | undefined
  },
  query: RootRunQuery,
): boolean {
  const { principal, sessionId, inConversation, agent, outcomes, text, hasApprovalRequests } = query
  return (
    (principal === undefined || session?.principal === principal) &&
    (sessionId === undefined || session?.sessionId === sessionId) &&
    (inConversation === undefined || (session !== undefined && session.sessionId !== rootRunId)) &&
    (agent === undefined || facts.agent === agent) &&
    (outcomes === undefined || outcomes.includes(facts.outcome ?? 'none')) &&
    (text === undefined || facts.search?.includes(text.toLowerCase()) === true) &&
    (hasApprovalRequests === undefined || facts.hasApprovalRequests === hasApprovalRequests) &&
    (query.label === undefined || label?.value === query.label)
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
  return (
    (principal === undefined || session?.principal === principal) &&
    (sessionId === undefined || session?.sessionId === sessionId)
  )
}
