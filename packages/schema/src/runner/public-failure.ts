import { ERRORS, type ErrorCode, type FailureClass } from '../errors/error-table.ts'
import { TroupeError, toFailure, type Failure } from '../errors/errors.ts'
import type { RunEvent } from '../events/event.ts'
import { getOwn } from '../text/json.ts'
import type { RunProblem } from '../values/run-problem.ts'
import type { RunOptions, RunReport } from './runner.ts'

/**
 * Classes whose messages may contain key locations, files, URLs and models of the operator, or texts of
 * providers.
 */
const PRIVATE_CLASSES: ReadonlySet<FailureClass> = new Set([
  'config',
  'auth',
  'network',
  'model',
  'store',
  'internal',
])

/** Codes of other classes with such messages, in addition to all model codes. */
const PRIVATE_CODES: ReadonlySet<string> = new Set<ErrorCode>([
  'mcp_start_failed',
  'mcp_crashed',
  'mcp_closed',
  'mcp_server',
])

/** Codes of private classes whose messages are about the caller's own request. */
const PUBLIC_CODES: ReadonlySet<string> = new Set<ErrorCode>([
  'agent_unknown',
  'approval_elsewhere',
  'approval_unknown',
  'embedding_model_unknown',
  'identity_unavailable',
  'input_invalid',
  'invalid_schema',
  'method_unknown',
  'missing_schema',
  'output_schema_mismatch',
  'request_invalid',
  'request_media_type',
  'request_repeated',
  'route_unknown',
  'run_changed',
  'run_not_resumable',
  'run_step_unknown',
  'run_unknown',
  'session_mismatch',
  'session_unknown',
  'template_unknown_placeholder',
  'token_required',
  'tool_schema_invalid',
])

/**
 * Returns the failure without what only the operator may see: key locations, files, URLs, model ids and
 * provider texts. The message becomes the title of the code, and the remediation says where the operator
 * finds the reason. A failure about the caller's own request is returned unchanged.
 */
export function publicFailure(reason: Failure, rootRunId?: string): Failure {
  const title = titleOf(reason.code)
  if (!isPrivate(reason) || reason.message === title) return reason
  return { ...reason, message: title, remediation: remediationFor(rootRunId) }
}

/**
 * Returns the report with its error and problems passed through {@link publicFailure}; the same object if
 * nothing is hidden.
 */
export function publicReport(report: RunReport): RunReport {
  const { error, runId } = report
  const problems = publicProblems(report.problems)
  const shown = error === undefined ? undefined : publicFailure(error, runId)
  if (shown === error && problems === report.problems) return report
  return { ...report, problems, ...(shown === undefined ? {} : { error: shown }) }
}

/** Returns the same list if none of the problems is private. */
function publicProblems(problems: readonly RunProblem[]): readonly RunProblem[] {
  if (!problems.some(isPrivate)) return problems
  return problems.map((problem) =>
    isPrivate(problem) ? { ...problem, message: titleOf(problem.code) } : problem,
  )
}

/**
 * Returns the event with its failures and texts about failures passed through {@link publicFailure}; the same
 * object if it has none.
 */
export function publicEvent(event: RunEvent): RunEvent {
  switch (event.type) {
    case 'run-end':
      return publicRunEnd(event)
    case 'tool-result':
    case 'usage':
      return event.error === undefined ? event : withPublicError(event, event.error)
    case 'model-retry':
      return { ...event, message: titleOf(event.code) }
    case 'warning':
      return isPrivate(event) ? { ...event, message: titleOf(event.code) } : event
    case 'log':
      return event.data === undefined ? event : withoutData(event)
    default:
      return event
  }
}

function publicRunEnd(event: Extract<RunEvent, { readonly type: 'run-end' }>): RunEvent {
  const problems = event.problems && publicProblems(event.problems)
  const shown = problems === undefined || problems === event.problems ? event : { ...event, problems }
  return shown.error === undefined ? shown : withPublicError(shown, shown.error)
}

/** Removes the data of a log event, which is the error body of a provider. */
function withoutData({ data: _data, ...event }: Extract<RunEvent, { readonly type: 'log' }>): RunEvent {
  return { ...event, text: 'The provider gave a reason, which is only shown to the operator.' }
}

/**
 * Receives a failure that the caller sees only in its public form. `runId` is `undefined` if the run was
 * refused.
 */
export type OnHiddenFailure = (reason: Failure, runId?: string) => void

/** Returns a listener that reports hidden failures to `onError`, each with its run in the message. */
export function reportHiddenFailures(onError: ((thrown: unknown) => void) | undefined): OnHiddenFailure {
  return (reason, runId) => {
    const run = runId === undefined ? 'A run was refused' : `The run ${runId} failed`
    onError?.(new TroupeError({ ...reason, message: `${run}: ${reason.message} ${reason.remediation}` }))
  }
}

/**
 * Runs an agent for a caller who is not the operator. Events, report and errors are passed through
 * `publicFailure`. `onHidden` receives each failure that ended the run and that the caller does not see
 * unchanged.
 */
export async function runForPublic<Options extends Pick<RunOptions, 'onEvent'>>(
  options: Options,
  run: (options: Options) => Promise<RunReport>,
  onHidden: OnHiddenFailure,
): Promise<RunReport> {
  const { onEvent } = options
  const shown =
    onEvent === undefined
      ? options
      : { ...options, onEvent: (event: RunEvent) => onEvent(publicEvent(event)) }
  return hideFailures(async () => reportForPublic(await run(shown), onHidden), onHidden)
}

/** Returns the public form of a report. `onHidden` receives a failure that the caller does not see unchanged. */
export function reportForPublic(report: RunReport, onHidden: OnHiddenFailure): RunReport {
  const result = publicReport(report)
  if (report.error !== undefined && result.error !== report.error) onHidden(report.error, report.runId)
  return result
}

/** Calls `work`, and rejects with the public form of its error. `onHidden` receives the original one. */
export async function hideFailures<Result>(
  work: () => Promise<Result>,
  onHidden: OnHiddenFailure,
): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    const reason = toFailure(thrown)
    const hidden = publicFailure(reason)
    if (hidden === reason) throw thrown
    onHidden(reason)
    throw new TroupeError(hidden, { cause: thrown })
  }
}

function withPublicError(
  event: Extract<RunEvent, { readonly type: 'tool-result' | 'usage' | 'run-end' }>,
  reason: Failure,
): RunEvent {
  const error = publicFailure(reason, event.rootRunId)
  if (error === reason) return event
  // the parent sees the child's public text, which says more than the failure
  if (event.type !== 'tool-result' || event.source === 'agent') return { ...event, error }
  return { ...event, error, content: [{ type: 'text', text: `Error: ${error.message}` }] }
}

function isPrivate({ class: kind, code }: { readonly class?: FailureClass; readonly code: string }): boolean {
  if (PUBLIC_CODES.has(code)) return false
  if (code.startsWith('model_') || PRIVATE_CODES.has(code)) return true
  const known = kind ?? (getOwn(ERRORS, code) as { readonly class: FailureClass } | undefined)?.class
  return known === undefined || PRIVATE_CLASSES.has(known)
}

function titleOf(code: string): string {
  const entry = getOwn(ERRORS, code) as { readonly title: string } | undefined
  return `${entry?.title ?? 'The run had a problem'}.`
}

function remediationFor(rootRunId: string | undefined): string {
  return rootRunId === undefined
    ? 'The operator finds the reason in the log and in the events of the run.'
    : `The operator finds the reason with \`troupe runs show ${rootRunId}\`.`
}
