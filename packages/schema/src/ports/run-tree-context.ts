import type { ToolDefinition } from '../agents/tool.ts'
import type { Clock } from '../values/clock.ts'
import type { ApprovalGate, Asker, PresentRequests, RunTreeApprover } from './approver.ts'
import type { BudgetLedger } from './budget-ledger.ts'
import type { ProviderLimiter } from './provider-limiter.ts'
import type { ResumeState, RunTreeRecording } from './recording.ts'
import type { Redactor } from './redactor.ts'
import type { RunExecutor } from './run-executor.ts'
import type { RunInterceptor } from './run-interceptor.ts'
import type { RunTreeLog } from './run-store.ts'
import type { RunTrace } from './run-tracer.ts'

/** Dependencies and state that all runs of one tree share within a process. */
export interface RunTreeContext {
  readonly log: RunTreeLog
  /** Redacts all secrets that the run tree can access. Absent if there are none. */
  readonly redactor?: Redactor
  readonly limiter: ProviderLimiter
  readonly budgetLedger: BudgetLedger
  readonly executor: RunExecutor
  readonly clock: Clock
  /** Returns a random number 0 ≤ x < 1, for jitter. */
  random(): number
  /** Hook state with scope `root`. */
  readonly state: Map<string, unknown>
  /** Answers approval requests. Without it and an approval gate, they are denied. */
  readonly approve?: RunTreeApprover
  /** Set if there is no approver, so tools that need an approval are not offered. */
  readonly headless?: true
  /** Holds the calls that wait for a decision, if there is no `approve` or it returns no answer. */
  readonly approvalGate?: ApprovalGate
  /** Requests that `approve` and `ask` wait for. Without it, only these can answer them. */
  readonly openRequests?: PresentRequests
  /** Answers questions of tools. Without it they get no answer. */
  readonly ask?: Asker
  /** Tools of the caller, for the root run only. */
  readonly callerTools?: readonly ToolDefinition[]
  /** Answers model calls and tool calls in place of models and tools. */
  readonly interceptor?: RunInterceptor
  /** `undefined` if the run tree is never interrupted between calls. */
  readonly onceCalls?: OnceCalls
  /** Persisted state of a resumed run tree; `undefined` on its first run. */
  readonly resumeState?: ResumeState
  /** `undefined` if the run tree is neither recorded nor replayed. */
  readonly recording?: RunTreeRecording
  /** `undefined` if the run tree is not traced. */
  readonly trace?: RunTrace
  /** `limits.maxRuns` of the root run. */
  readonly maxRuns: number
  readonly maxDepth: number
}

/** Tracks the calls of `once` tools that a run tree has started, so that an interruption can wait for their results. */
export interface OnceCalls {
  /** Registers a call that is about to start. Returns false if no further call may start. A key that is already registered stays so. */
  start(key: string): boolean
  /** Removes a call whose result is persisted. Does nothing if the key is not registered. */
  end(key: string): void
}
