import type { Failure, Outcome, RunReport } from '@troupe/schema'

/** Exit codes, except those of signals (docs/interface.md §4). */
export const EXIT = {
  completed: 0,
  failed: 1,
  /** Invalid command line, configuration or card. */
  usage: 2,
  partial: 3,
  budget: 4,
  denied: 5,
  /** Suspended until an approval or answer. */
  waiting: 6,
  timeout: 124,
  cancelled: 130,
} as const

const BY_OUTCOME: Readonly<Record<Outcome, number>> = {
  completed: EXIT.completed,
  partial: EXIT.partial,
  failed: EXIT.failed,
  timeout: EXIT.timeout,
  budget: EXIT.budget,
  cancelled: EXIT.cancelled,
  denied: EXIT.denied,
}

/** Returns the exit code of a run or call. A failure of class `config` is a usage error. */
export function exitCodeOf(end: { readonly outcome: Outcome; readonly error?: Failure | undefined }): number {
  if (end.error?.code === 'run_waiting') return EXIT.waiting
  if (end.outcome === 'failed' && end.error?.class === 'config') return EXIT.usage
  return BY_OUTCOME[end.outcome]
}

/** Returns the exit code of a run. With `strict`, a completed run with problems exits like a partial one. */
export function exitCodeOfRun(report: RunReport, { strict = false }: { readonly strict?: boolean }): number {
  const code = exitCodeOf(report)
  return strict && code === EXIT.completed && report.problemCount > 0 ? EXIT.partial : code
}

export function exitCodeOfFailure(reason: Failure): number {
  return reason.class === 'config' ? EXIT.usage : EXIT.failed
}
