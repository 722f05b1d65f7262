import { toFailure, type Failure, type RunControl } from '@troupe/schema'
import { CLEANUP_MS, withTimeout } from '../run/clock.ts'
import type { Run } from '../run/run.ts'
import { onCallerCancel, raceCancellation } from '../run/cancellation.ts'

/** Waits until all appended events are persisted. Cancels the run if the store fails. */
export function waitUntilPersisted(run: Run): Promise<void> | undefined {
  const keeping = run.root.log.waitForCommit()
  if (keeping === undefined) return undefined
  return raceCancellation(keeping, run.cancellation).catch((thrown: unknown) =>
    run.cancellation.cancel(toFailure(thrown)),
  )
}

/**
 * Waits until the end of a root run is persisted. Resolves with the failure if the store fails. If the caller
 * cancels, waits at most {@link CLEANUP_MS} longer.
 */
export function waitUntilEndPersisted(
  run: Run,
  control: Pick<RunControl, 'stop' | 'signal'>,
): Promise<Failure | undefined> | undefined {
  const keeping = run.root.log.waitForCommit()
  return keeping === undefined ? undefined : findPersistFailure(run, keeping, control)
}

function findPersistFailure(
  run: Run,
  keeping: Promise<void>,
  control: Pick<RunControl, 'stop' | 'signal'>,
): Promise<Failure | undefined> {
  return new Promise((resolve) => {
    const giveUp = (): void =>
      resolve(withTimeout(keeping, CLEANUP_MS, run.root.clock).then(noReason, toFailure))
    const off = onCallerCancel(control, giveUp)
    const settle = (reason: Failure | undefined): void => {
      off()
      resolve(reason)
    }
    keeping.then(
      () => settle(undefined),
      (thrown: unknown) => settle(toFailure(thrown)),
    )
  })
}

function noReason(): undefined {
  return undefined
}
