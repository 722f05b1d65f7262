import { OpenList, failure, type RunReport } from '@troupe/schema'

/** The roots of a host that are at work. */
export interface RunningRoots {
  /** Begins one; `stop` ends it. */
  begin(work: (stop: AbortController) => Promise<RunReport>): Promise<RunReport>
  /** Stops all of them and waits for their ends. */
  end(): Promise<void>
}

/** None are at work yet. */
export function createRunningRoots(): RunningRoots {
  const running = new OpenList<{ readonly report: Promise<unknown>; readonly stop: AbortController }>()
  return {
    begin(work) {
      const stop = new AbortController()
      const report = work(stop)
      const root = running.add({ report, stop })
      return report.finally(() => running.delete(root))
    },
    async end() {
      const open = running.values()
      for (const { stop } of open) stop.abort(failure('run_cancelled', 'the host was closed'))
      await Promise.allSettled(open.map(({ report }) => report))
    },
  }
}
