import { hasAnswer, type RunReport } from '@troupe/schema'
import { errorBody, errorResponse, retryHeader } from '../error-response.ts'
import { headerText } from '../header-text.ts'
import { statusOf } from '../status-of.ts'

const TYPES = { text: 'text/plain', markdown: 'text/markdown', json: 'application/json' } as const

/** The status of a run: an answer is 200, also a partial one. */
export function reportStatus({ outcome, error }: RunReport): number {
  if (hasAnswer(outcome)) return 200
  return error === undefined ? 500 : statusOf(error)
}

/** The whole report, as `--json` prints it. */
export function reportEnvelope(report: RunReport): Response {
  return Response.json(envelopeOf(report), { status: reportStatus(report), headers: headersOf(report) })
}

/** See {@link reportEnvelope}: errors look the same as everywhere. */
export function envelopeOf(report: RunReport): Omit<RunReport, 'error'> & { readonly error?: unknown } {
  const { error, ...rest } = report
  return error === undefined ? rest : { ...rest, ...errorBody(error) }
}

/** The answer alone, in its own form; a run without one is an error. */
export function reportAnswer(report: RunReport): Response {
  const { error, outcome, output } = report
  const headers = headersOf(report)
  if (!hasAnswer(outcome) && error !== undefined) return errorResponse(error, headers)
  const type = TYPES[output.format]
  return new Response(output.text ?? '', {
    status: reportStatus(report),
    headers: { ...headers, 'content-type': type === 'application/json' ? type : `${type}; charset=utf-8` },
  })
}

function headersOf({ runId, sessionId, outcome, error, problemCount }: RunReport): Record<string, string> {
  return {
    ...(error === undefined || hasAnswer(outcome) ? {} : retryHeader(error)),
    'troupe-run-id': runId,
    'troupe-session-id': headerText(sessionId),
    'troupe-outcome': outcome,
    ...(problemCount === 0 ? {} : { 'troupe-problems': `${problemCount}` }),
  }
}
