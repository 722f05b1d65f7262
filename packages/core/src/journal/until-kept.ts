import { toFailure, type Failure, type RunControl } from '@troupe/schema'
import { LAST_WORK_MS, within } from '../children/grace.ts'
import type { Run } from '../session/run.ts'
import { untilStop } from '../time/stop.ts'

/** Waits until all that the root has written is kept (decision 9); undefined: it is. A store that takes nothing any more stops the run. */
export function untilKept(run: Run): Promise<void> | undefined {
  const keeping = run.root.log.durable()
  if (keeping === undefined) return undefined
  return untilStop(keeping, run.stop).catch((thrown: unknown) => run.stop.stop(toFailure(thrown)))
}

/** The same for the end of a root: why it is not kept, or undefined. A caller who does not want to wait for a store without space aborts the signal. */
export function untilEndKept(
  run: Run,
  control: Pick<RunControl, 'signal'>,
): Promise<Failure | undefined> | undefined {
  const keeping = run.root.log.durable()
  return keeping === undefined ? undefined : whyUnkept(run, keeping, control.signal)
}

async function whyUnkept(
  run: Run,
  keeping: Promise<void>,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  let leave: (() => void) | undefined
  const givenUp = new Promise<void>((resolve) => {
    leave = (): void => resolve(within(keeping, LAST_WORK_MS, run.root.clock))
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
  try {
    await Promise.race([keeping, givenUp])
    return undefined
  } catch (thrown) {
    return toFailure(thrown)
  } finally {
    if (leave !== undefined) signal.removeEventListener('abort', leave)
  }
}
