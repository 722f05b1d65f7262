import type { RunReport, RunStore } from '@troupe/schema'
import { decideCall, type DecidedCall } from './decide-call.ts'
import { forkRoot, type ForkedRoot } from './fork-root.ts'
import { replayRoot, type ReplayedRoot } from './replay-root.ts'
import { resumeRoot } from './resume-root.ts'
import type { KeptRootRun, RootRun } from './root-run.ts'
import { rootsContext, type RootsParts } from './roots-context.ts'
import { createRunningRoots } from './running-roots.ts'
import { startRoot } from './start-root.ts'

/** The root runs of a host. They end when the host closes. */
export interface RootRuns {
  /**
   * Starts a root run and resolves for every outcome. Rejects if the store cannot open a log or the host is
   * closed.
   */
  start(run: RootRun): Promise<RunReport>
  /** Resumes an interrupted root run. Also rejects if another process is running it. */
  resume(run: KeptRootRun): Promise<RunReport>
  /** Starts a root run with a copy of the beginning of another one. */
  fork(run: ForkedRoot): Promise<RunReport>
  /** Replays a recorded root run. Nothing is persisted. */
  replay(run: ReplayedRoot): Promise<RunReport>
  /**
   * Decides a pending call: in the running root run if it runs in this host, else in the store. Rejects with
   * `approval_unknown` or `store_locked`.
   */
  decide(store: RunStore, call: DecidedCall): Promise<void>
  /** Prevents further `once` calls. A root run that reaches one is interrupted before it. */
  holdOnceCalls(): void
  /** Cancels all root runs and waits for them to end. */
  end(): Promise<void>
}

/** Creates the root runs of one host. */
export function createRootRuns(parts: RootsParts): RootRuns {
  const context = rootsContext(parts)
  const running = createRunningRoots()
  return {
    start: (run) => running.begin((stop) => startRoot(run, context, stop)),
    resume: (run) => running.begin((stop) => resumeRoot(run, context, stop)),
    fork: (run) => running.begin((stop) => forkRoot(run, context, stop)),
    replay: (run) => running.begin((stop) => replayRoot(run, context, stop)),
    decide: (store, call) => decideCall(store, call, context),
    holdOnceCalls() {
      context.holdsOnceCalls = true
      for (const calls of context.onceCalls) calls.close()
    },
    end: running.end,
  }
}
