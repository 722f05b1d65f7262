import { createCancellation, type Cancellation } from '@troupe/core'
import { failure, type RunReport, type RunStore } from '@troupe/schema'
import { decideCall, type CallDecision } from './decide-call.ts'
import { forkRootRun, type RootRunFork } from './fork-run.ts'
import { replayRootRun, type RootRunReplay } from './replay-recording.ts'
import { resumeRootRun } from './resume-run.ts'
import type { RootRun, StoredRootRun } from './root-run.ts'
import { createRootRunsContext, type RootRunsOptions } from './runs-context.ts'
import { startRootRun } from './start-root-run.ts'

/** The root runs of a host. They end when the host closes. */
export interface RootRuns {
  /**
   * Starts a root run and resolves for every outcome. Rejects if the store cannot open a log or the host is
   * closed.
   */
  start(run: RootRun): Promise<RunReport>
  /** Resumes an interrupted root run. Also rejects if another process is running it. */
  resume(run: StoredRootRun): Promise<RunReport>
  /** Starts a root run with a copy of the beginning of another one. */
  fork(run: RootRunFork): Promise<RunReport>
  /** Replays a recorded root run. Nothing is persisted. */
  replay(run: RootRunReplay): Promise<RunReport>
  /**
   * Decides a pending call: in the running root run if it runs in this host, else in the store. Rejects with
   * `approval_unknown` or `store_locked`.
   */
  decide(store: RunStore, call: CallDecision): Promise<void>
  /** Prevents further `once` calls. A root run that reaches one is interrupted before it. */
  holdOnceCalls(): void
  /** Cancels all root runs and waits for them to end. */
  end(): Promise<void>
}

/** Creates the root runs of one host. */
export function createRootRuns(parts: RootRunsOptions): RootRuns {
  const context = createRootRunsContext(parts)
  const running = createRunningRootRuns()
  return {
    start: (run) => running.start((stop) => startRootRun(run, context, stop)),
    resume: (run) => running.start((stop) => resumeRootRun(run, context, stop)),
    fork: (run) => running.start((stop) => forkRootRun(run, context, stop)),
    replay: (run) => running.start((stop) => replayRootRun(run, context, stop)),
    decide: (store, call) => decideCall(store, call, context),
    holdOnceCalls() {
      context.holdsOnceCalls = true
      for (const calls of context.onceCalls) calls.close()
    },
    end: running.end,
  }
}

/** The root runs in progress of a host. */
interface RunningRootRuns {
  /** Starts a root run; `stop` cancels it. */
  start(work: (stop: Cancellation) => Promise<RunReport>): Promise<RunReport>
  /** Cancels all root runs and waits for them to end. */
  end(): Promise<void>
}

function createRunningRootRuns(): RunningRootRuns {
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
