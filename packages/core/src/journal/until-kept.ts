import { toFailure, type Failure, type RunControl } from '@troupe/schema'
import { LAST_WORK_MS, within } from '../children/grace.ts'
import type { Run } from '../session/run.ts'
import { onStopOf, untilStop } from '../time/stop.ts'

/** Waits until all appended events are persisted. Cancels the run if the store fails. */
export function untilKept(run: Run): Promise<void> | undefined {
  const keeping = run.root.log.durable()
  if (keeping === undefined) return undefined
  return untilStop(keeping, run.stop).catch((thrown: unknown) => run.stop.stop(toFailure(thrown)))
}

/**
 * Waits until the end of a root run is persisted. Resolves with the failure if the store fails. If the caller
 * cancels, waits at most {@link LAST_WORK_MS} longer.
 */
export function untilEndKept(
  run: Run,
  control: Pick<RunControl, 'stop' | 'signal'>,
): Promise<Failure | undefined> | undefined {
  const keeping = run.root.log.durable()
  return keeping === undefined ? undefined : whyUnkept(run, keeping, control)
}

function whyUnkept(
  run: Run,
  keeping: Promise<void>,
  control: Pick<RunControl, 'stop' | 'signal'>,
): Promise<Failure | undefined> {
  return new Promise((resolve) => {
    const giveUp = (): void =>
      resolve(within(keeping, LAST_WORK_MS, run.root.clock).then(noReason, toFailure))
    const off = onStopOf(control, giveUp)
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
