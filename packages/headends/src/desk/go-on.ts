import { toFailure } from '@troupe/schema'
import type { DeskContext } from './desk-context.ts'
import type { AskedRun } from './find-run.ts'
import { keptCaps } from './kept-caps.ts'
import { readRequest } from './kept-request.ts'
import { putToWork } from './put-to-work.ts'

/** Resumes a suspended run with its original limits, unless it is active or the process is shutting down. */
export function goOn({ runId, principal }: AskedRun, context: DeskContext): void {
  const { host, live, store, onError } = context
  if (live.has(runId) || context.isDraining) return
  const { done } = putToWork(
    {
      runId,
      principal,
      begin: async (options) =>
        host.resume(runId, { ...options, principal, ...keptCaps((await readRequest(store, runId))?.note) }),
    },
    context,
  )
  done.catch((thrown: unknown) => {
    // A run that is still queued when the process ends stays in the store, and the next process resumes it.
    if (!context.isDraining || toFailure(thrown).code !== 'server_busy') onError?.(thrown)
  })
}
