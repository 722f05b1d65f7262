import type {
  Asker,
  Budget,
  Clock,
  Limits,
  OnceCalls,
  ProviderLimiter,
  Redactor,
  RunTreeApprover,
  RunTreeLog,
  ResumeState,
  RunTreeContext,
  RunTreeRecording,
  RunExecutor,
  SpendingLimit,
  ApprovalGate,
} from '@troupe/schema'
import { createProviderLimiter } from '../limiter/provider-limiter.ts'
import { createBudgetLedger } from '../budget/budget-ledger.ts'
import { systemClock } from '../run/clock.ts'

/** Creates the scope that all runs of a tree share. `limits` are those of the root agent. */
export function createRootScope(parts: {
  readonly log: RunTreeLog
  readonly executor: RunExecutor
  readonly limits: Pick<Limits, 'maxRuns' | 'maxDepth'>
  readonly limiter?: ProviderLimiter
  /** Budget of the whole run tree, in addition to the limits of its cards. */
  readonly budget?: Budget | undefined
  /** Spending limit of the principal, for all its run trees. */
  readonly spendingLimit?: SpendingLimit | undefined
  readonly clock?: Clock
  readonly random?: () => number
  readonly approve?: RunTreeApprover | undefined
  /** Removes tools that need an approval. Ignored if `approve` is set. */
  readonly headless?: boolean | undefined
  readonly waiting?: ApprovalGate | undefined
  readonly ask?: Asker | undefined
  readonly onceCalls?: OnceCalls | undefined
  readonly redactor?: Redactor | undefined
  /** Stored state from before an interruption. */
  readonly past?: ResumeState | undefined
  /** Records or replays the run tree. */
  readonly recording?: RunTreeRecording | undefined
}): RunTreeContext {
  const { clock = systemClock, random = Math.random } = parts
  return {
    log: parts.log,
    executor: parts.executor,
    limiter: parts.limiter ?? createProviderLimiter({ clock, random }),
    budgetLedger: parts.spendingLimit?.openLedger(parts.budget) ?? createBudgetLedger(parts.budget),
    clock,
    random,
    state: new Map(),
    ...(parts.redactor === undefined ? {} : { redactor: parts.redactor }),
    ...(parts.approve === undefined ? {} : { approve: parts.approve }),
    ...(parts.headless === true && parts.approve === undefined ? { headless: true } : {}),
    ...(parts.waiting === undefined ? {} : { approvalGate: parts.waiting }),
    ...(parts.ask === undefined ? {} : { ask: parts.ask }),
    ...(parts.onceCalls === undefined ? {} : { onceCalls: parts.onceCalls }),
    ...(parts.past === undefined ? {} : { resumeState: parts.past }),
    ...(parts.recording === undefined ? {} : { recording: parts.recording }),
    maxRuns: parts.limits.maxRuns,
    maxDepth: parts.limits.maxDepth,
  }
}
