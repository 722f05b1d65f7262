import { createCancellation, type Cancellation } from '@troupe/core'
import { failure, type RunReport } from '@troupe/schema'

/** The root runs in progress of a host. */
export interface RunningRootRuns {
  /** Starts a root run; `stop` cancels it. */
  start(work: (stop: Cancellation) => Promise<RunReport>): Promise<RunReport>
  /** Cancels all root runs and waits for them to end. */
  end(): Promise<void>
}

export function createRunningRootRuns(): RunningRootRuns {
  const running = new Set<{ readonly report: Promise<unknown>; readonly stop: Cancellation }>()
  return {
    start(work) {
      const stop = createCancellation()
      const report = work(stop)
      const root = { report, stop }
      running.add(root)
      return report.finally(() => running.delete(root))
    },
    async end() {
      const open = [...running]
      for (const { stop } of open) stop.cancel(failure('run_cancelled', 'the host was closed'))
      await Promise.allSettled(open.map(({ report }) => report))
    },
  }
}
