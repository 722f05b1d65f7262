import type { AgentDefinition, JsonObject, RunRequest, TeamOverrides } from '@troupe/schema'

/**
 * Creates the request of a fork from that of the original root run, with the current definition and a new
 * session that starts with the same history.
 */
export function forkedRequest(
  request: RunRequest,
  to: {
    readonly newRunId: string
    readonly definition: Pick<AgentDefinition, 'name' | 'digest'>
    readonly note: JsonObject | undefined
    readonly team: TeamOverrides | undefined
  },
): RunRequest {
  const { runId: _runId, sessionId: _sessionId, ...rest } = request
  const { newRunId, definition, note = request.note, team } = to
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
