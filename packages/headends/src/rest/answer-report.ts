import { hasAnswer, type RunReport } from '@troupe/schema'
import { errorBody, errorResponse, retryHeader, statusOf } from '../headend/errors.ts'

const TYPES = { text: 'text/plain', markdown: 'text/markdown', json: 'application/json' } as const

/** Returns the HTTP status of a report. A partial answer is 200 as well. */
function reportStatus({ outcome, error }: RunReport): number {
  if (hasAnswer(outcome)) return 200
  return error === undefined ? 500 : statusOf(error)
}

/** Creates a response with the whole report, in the format of `--json`. */
export function reportEnvelope(report: RunReport, now?: number): Response {
  const headers = headersOf(report, now)
  return Response.json(envelopeOf(report), { status: reportStatus(report), headers })
}

/** Returns the report with its error in the format of all other errors. */
export function envelopeOf(report: RunReport): Omit<RunReport, 'error'> & { readonly error?: unknown } {
  const { error, ...rest } = report
  return error === undefined ? rest : { ...rest, ...errorBody(error) }
}

/**
 * Creates a response with the answer alone, in its own format. A run without an answer becomes an error
 * response.
 */
export function reportAnswer(report: RunReport, now?: number): Response {
  const { error, outcome, output } = report
  const headers = headersOf(report, now)
  if (!hasAnswer(outcome) && error !== undefined) return errorResponse(error, headers)
  const type = TYPES[output.format]
  return new Response(output.text ?? '', {
    status: reportStatus(report),
    headers: { ...headers, 'content-type': type === 'application/json' ? type : `${type}; charset=utf-8` },
  })
}

function headersOf(
  { runId, sessionId, outcome, error, problemCount }: RunReport,
  now: number | undefined,
): Record<string, string> {
  return {
    ...(error === undefined || hasAnswer(outcome) ? {} : retryHeader(error, now)),
    'troupe-run-id': runId,
    'troupe-session-id': headerText(sessionId),
    'troupe-outcome': outcome,
    ...(problemCount === 0 ? {} : { 'troupe-problems': `${problemCount}` }),
  }
}

/** Converts a text to a header value. Text that a header cannot carry is percent-encoded. */
export function headerText(text: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/u.test(text)
    ? text
    : encodeURIComponent(text.toWellFormed())
}
