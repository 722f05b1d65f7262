import type { Failure, RunEvent, RunReport } from '@troupe/schema'

/** Failure classes that say nothing about the team. */
const OUTSIDE_CLASSES: ReadonlySet<string> = new Set([
  'config',
  'auth',
  'network',
  'store',
  'cancelled',
  'internal',
])
/** Failures of models and providers that say nothing about the team. */
const OUTSIDE_CODES: ReadonlySet<string> = new Set([
  'model_script_exhausted',
  'model_rate_limited',
  'model_overloaded',
  'model_unavailable',
  'model_bad_request',
  'model_not_found',
  'model_bad_stream',
  'model_timeout',
  'model_quota_exceeded',
])

/**
 * Returns the first failure of a run or one below it that has its cause outside of the team, such as an
 * overloaded provider; `undefined` if there is none.
 */
export function outsideFailure({ error }: RunReport, events: readonly RunEvent[]): Failure | undefined {
  const errors = events.flatMap((event) => (event.type === 'run-end' ? (event.error ?? []) : []))
  return [...(error === undefined ? [] : [error]), ...errors].find(isOutside)
}

function isOutside({ class: kind, code }: Failure): boolean {
  return OUTSIDE_CLASSES.has(kind) || OUTSIDE_CODES.has(code)
}
