import { failure } from '@troupe/schema'
import type { DeskContext } from './desk-context.ts'

/** Interrupts all runs. Persisted runs can be resumed. */
export async function closeRuns(
  context: Pick<DeskContext, 'live' | 'unkept' | 'isDraining' | 'stopRecovery'>,
): Promise<void> {
  const { live, unkept } = context
  context.isDraining = true
  context.stopRecovery?.()
  const running = [...live.values()]
  for (const { stop } of running) stop.abort(failure('run_cancelled', 'The server has ended.'))
  await Promise.all(running.map(({ done }) => done))
  unkept.close()
}
