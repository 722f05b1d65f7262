import type { RunHost } from '@troupe/headends'
import type { Host } from '@troupe/host'
import {
  runForPublic,
  type Budget,
  type OnHiddenFailure,
  type RunOptions,
  type RunReport,
} from '@troupe/schema'
import { LOCAL } from '../gate/principals.ts'
import type { RunAdmission } from './admission.ts'
import type { SpendingLimits } from './spending.ts'

/** Wraps a host for run control, so that forked and resumed runs are queued and limited like other runs. */
export function admitForks(
  host: Pick<Host, 'run' | 'resume' | 'decide' | 'fork' | 'plan' | 'definition' | 'redact'>,
  {
    admission,
    budget,
    spending,
    onHidden,
  }: {
    readonly admission: RunAdmission
    readonly budget: Budget
    readonly spending: SpendingLimits | undefined
    readonly onHidden: OnHiddenFailure
  },
): RunHost {
  /** Executes a run. Hides private details of failures from all principals but the operator. */
  function runForPrincipal<Options extends Pick<RunOptions, 'onEvent'>>(
    principal: string,
    options: Options,
    run: (options: Options) => Promise<RunReport>,
  ): Promise<RunReport> {
    return principal === LOCAL ? run(options) : runForPublic(options, run, onHidden)
  }

  return {
    run: (agent, input, options) => host.run(agent, input, options),
    async resume(runId, { principal, ...options }) {
      const release = await admission.enter(options.signal, { resumed: true })
      try {
        const spendingLimit = await spending?.find(principal)
        const limited = {
          ...options,
          budget: lowerBudget(options.budget, budget),
          ...(spendingLimit === undefined ? {} : { spendingLimit }),
        }
        return await runForPrincipal(principal, limited, (own) => host.resume(runId, own))
      } finally {
        release()
      }
    },
    prompt: (agent) =>
      host.plan().agents.some(({ name }) => name === agent)
        ? host.redact(host.definition(agent).instruction)
        : undefined,
    decide: (runId, approvalId, decision) => host.decide(runId, approvalId, decision),
    async fork(runId, { principal, ...fork }) {
      const release = await admission.enter(fork.signal)
      try {
        const spendingLimit = await spending?.admit(principal)
        const limited = { ...fork, budget, ...(spendingLimit === undefined ? {} : { spendingLimit }) }
        const report = await runForPrincipal(
          principal,
          limited,
          async (own) => (await host.fork(runId, own)).report,
        )
        return { report }
      } finally {
        release()
      }
    },
  }
}

/** Merges two budgets. The lower of two caps applies. */
export function lowerBudget(one: Budget = {}, other: Budget = {}): Budget {
  const caps = Object.entries(other).map(
    ([kind, cap = Infinity]) => [kind, Math.min(cap, one[kind as keyof Budget] ?? Infinity)] as const,
  )
  return { ...one, ...Object.fromEntries(caps) }
}
