import { failure } from '@troupe/schema'
import type { RunServiceContext } from './run-service-context.ts'

/** Interrupts all runs. Persisted runs can be resumed. */
export async function closeRuns(
  context: Pick<RunServiceContext, 'live' | 'memoryRuns' | 'isDraining' | 'stopRecovery'>,
): Promise<void> {
  const { live, memoryRuns } = context
  context.isDraining = true
  context.stopRecovery?.()
  const running = [...live.values()]
  for (const { stop } of running) stop.abort(failure('run_cancelled', 'The server has ended.'))
  await Promise.all(running.map(({ done }) => done))
  memoryRuns.close()
}
