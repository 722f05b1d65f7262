import type { RunReport } from '@troupe/schema'
import type { StartedRun } from '../desk/await-begin.ts'
import { reportEnvelope } from '../rest/answer-report.ts'

/** 202: it goes on by itself. A run that has ended before it began gives its report. */
export function toStarted(started: StartedRun | RunReport): Response {
  if ('outcome' in started) return reportEnvelope(started)
  const { runId } = started
  return Response.json(started, {
    status: 202,
    headers: { location: `/api/runs/${runId}`, 'troupe-run-id': runId },
  })
}
