import { createStop, type Stop } from '@troupe/core'
import { OpenList, failure, type RunReport } from '@troupe/schema'

/** The root runs in progress of a host. */
export interface RunningRoots {
  /** Starts a root run; `stop` cancels it. */
  begin(work: (stop: Stop) => Promise<RunReport>): Promise<RunReport>
  /** Cancels all root runs and waits for them to end. */
  end(): Promise<void>
}

export function createRunningRoots(): RunningRoots {
  const running = new OpenList<{ readonly report: Promise<unknown>; readonly stop: Stop }>()
  return {
    begin(work) {
      const stop = createStop()
      const report = work(stop)
      const root = running.add({ report, stop })
      return report.finally(() => running.delete(root))
    },
    async end() {
      const open = running.values()
      for (const { stop } of open) stop.stop(failure('run_cancelled', 'the host was closed'))
      await Promise.allSettled(open.map(({ report }) => report))
    },
  }
}
