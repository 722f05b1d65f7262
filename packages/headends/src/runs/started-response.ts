import type { RunReport } from '@troupe/schema'
import type { StartedRun } from '../run-service/await-start.ts'
import { reportEnvelope } from '../rest/answer-report.ts'

/**
 * Responds with 202 for a run that continues on its own, or with the report of a run that has already ended.
 */
export function startedResponse(started: StartedRun | RunReport): Response {
  if ('outcome' in started) return reportEnvelope(started)
  const { runId } = started
  return Response.json(started, {
    status: 202,
    headers: { location: `/api/runs/${runId}`, 'troupe-run-id': runId },
  })
}
