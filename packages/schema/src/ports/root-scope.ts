import type { RootApprover } from './approver.ts'
import type { Asker } from './asker.ts'
import type { Clock } from './clock.ts'
import type { OnceCalls } from './once-calls.ts'
import type { ProviderLimiter } from './provider-limiter.ts'
import type { Purse } from './purse.ts'
import type { Redactor } from './redactor.ts'
import type { RootLog } from './root-log.ts'
import type { RootPast } from './root-past.ts'
import type { RootTape } from './root-tape.ts'
import type { RunExecutor } from './run-executor.ts'
import type { WaitingRoom } from './waiting-room.ts'

/** What all runs of one tree in one process share. */
export interface RootScope {
  readonly log: RootLog
  /** The secrets of everything the root can reach; none are known without it. */
  readonly redactor?: Redactor
  readonly limiter: ProviderLimiter
  readonly purse: Purse
  readonly executor: RunExecutor
  readonly clock: Clock
  /** 0 ≤ x < 1; for jitter. */
  random(): number
  /** Hook state of scope `root`. */
  readonly state: Map<string, unknown>
  /** None, and no `waiting`: what asks is denied. */
  readonly approve?: RootApprover
  /** True: tools that need an approval are not offered, as there is nobody to ask (R16). */
  readonly headless?: true
  /** What asks waits here, where there is no `approve` or it knows no answer. */
  readonly waiting?: WaitingRoom
  /** None: nobody answers what a tool asks. */
  readonly ask?: Asker
  /** `undefined` if the root is never interrupted between calls. */
  readonly onceCalls?: OnceCalls
  /** None: the root runs for the first time. */
  readonly past?: RootPast
  /** None: the root is neither recorded nor replayed. */
  readonly tape?: RootTape
  /** `limits.maxRuns` and `limits.maxDepth` of the root. */
  readonly maxRuns: number
  readonly maxDepth: number
}
