import { failure, type RunReport } from '@troupe/schema'

/** The roots of a host that are at work. */
export interface RunningRoots {
  /** Begins one; `stop` ends it. */
  begin(work: (stop: AbortController) => Promise<RunReport>): Promise<RunReport>
  /** Stops all of them and waits for their ends. */
  end(): Promise<void>
}

/** None are at work yet. */
export function createRunningRoots(): RunningRoots {
  const running = new Map<Promise<unknown>, AbortController>()
  return {
    begin(work) {
      const stop = new AbortController()
      const report = work(stop)
      running.set(report, stop)
      return report.finally(() => running.delete(report))
    },
    async end() {
      for (const stop of running.values()) stop.abort(failure('run_cancelled', 'the host was closed'))
      await Promise.allSettled(running.keys())
    },
  }
}
