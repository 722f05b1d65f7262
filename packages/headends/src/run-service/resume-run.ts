import { toFailure } from '@troupe/schema'
import type { RunServiceContext } from './run-service-context.ts'
import type { RunRef } from './find-run.ts'
import { readCaps } from './run-caps.ts'
import { readRequest } from './stored-run-request.ts'
import { launchRun } from './launch-run.ts'

/** Resumes a suspended run with its original limits, unless it is active or the process is shutting down. */
export function resumeRun({ runId, principal }: RunRef, context: RunServiceContext): void {
  const { host, live, store, onError } = context
  if (live.has(runId) || context.isDraining) return
  const { done } = launchRun(
    {
      runId,
      principal,
      execute: async (options) =>
        host.resume(runId, { ...options, principal, ...readCaps((await readRequest(store, runId))?.note) }),
    },
    context,
  )
  done.catch((thrown: unknown) => {
    // A run that is still queued when the process ends stays in the store, and the next process resumes it.
    if (!context.isDraining || toFailure(thrown).code !== 'server_busy') onError?.(thrown)
  })
}
