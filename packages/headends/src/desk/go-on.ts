import type { DeskContext } from './desk-context.ts'
import type { AskedRun } from './find-run.ts'
import { putToWork } from './put-to-work.ts'

/** Goes on with a run that was left, unless it is at work. */
export function goOn({ runId, principal }: AskedRun, context: DeskContext): void {
  const { host, live, purse, onError } = context
  if (live.has(runId)) return
  const { done } = putToWork({ runId, principal, begin: (options) => host.resume(runId, options) }, context)
  done.then(
    (report) => purse?.close(principal, report),
    (thrown: unknown) => onError?.(thrown),
  )
}
