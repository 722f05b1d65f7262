import type { RunReport, RunStore } from '@troupe/schema'
import { decideCall, type DecidedCall } from './decide-call.ts'
import { forkRoot, type ForkedRoot } from './fork-root.ts'
import { replayRoot, type ReplayedRoot } from './replay-root.ts'
import { resumeRoot } from './resume-root.ts'
import type { KeptRootRun, RootRun } from './root-run.ts'
import { rootsContext, type RootsParts } from './roots-context.ts'
import { createRunningRoots } from './running-roots.ts'
import { startRoot } from './start-root.ts'

/** The roots of a host: started here and, when the host closes, ended here. */
export interface RootRuns {
  /** Resolves for every outcome. Rejects when the store does not open a log for the run, or the host is closed. */
  start(run: RootRun): Promise<RunReport>
  /** Goes on with a root that was interrupted. The same, and rejects when another process runs it. */
  resume(run: KeptRootRun): Promise<RunReport>
  /** Begins a root with what another one had done, and goes on from there. */
  fork(run: ForkedRoot): Promise<RunReport>
  /** Plays a recorded root. Nothing of it is kept. */
  replay(run: ReplayedRoot): Promise<RunReport>
  /** Decides on a call that waits: in the run where it is at work here, else in what is kept of it. Rejects with `approval_unknown`, `store_locked`. */
  decide(store: RunStore, call: DecidedCall): Promise<void>
  /** Lets no further `once` call start. A root that reaches one is interrupted before it. */
  holdOnceCalls(): void
  /** Stops the roots in flight and waits for their ends. */
  end(): Promise<void>
}

/** The roots of one host, none of them at work yet. */
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
