import type { AgentDefinition, JsonObject, RunRequest, TeamChanges } from '@troupe/schema'

/** The request of a root, for another root that goes on from it with the cards of now. It has a conversation of its own, which begins as that of the root does. */
export function forkedRequest(
  request: RunRequest,
  to: {
    readonly newRunId: string
    readonly definition: Pick<AgentDefinition, 'name' | 'digest'>
    readonly note: JsonObject | undefined
    readonly team: TeamChanges | undefined
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
