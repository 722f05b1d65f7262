import type { Host } from '@troupe/host'
import type { RunHost } from '@troupe/headends'
import type { Budget } from '@troupe/schema'
import type { Admission } from './admission.ts'
import { lowerBudget } from './lower-budget.ts'
import { LOCAL } from './principals.ts'
import type { SpendingLimits } from './spending.ts'

/** The host as run control uses it: forked and resumed runs wait for room as other runs do, and have the same limits. */
export function admitForks(
  host: Pick<Host, 'run' | 'resume' | 'decide' | 'fork' | 'plan' | 'definition' | 'redact'>,
  {
    admission,
    budget,
    spending,
  }: {
    readonly admission: Admission
    readonly budget: Budget
    readonly spending: SpendingLimits | undefined
  },
): RunHost {
  return {
    run: (agent, input, options) => host.run(agent, input, options),
    async resume(runId, { principal = LOCAL, ...options } = {}) {
      const leave = await admission.enter(options.signal, { resumed: true })
      try {
        const spendingLimit = await spending?.find(principal)
        return await host.resume(runId, {
          ...options,
          budget: lowerBudget(options.budget, budget),
          ...(spendingLimit === undefined ? {} : { spendingLimit }),
        })
      } finally {
        leave()
      }
    },
    prompt: (agent) =>
      host.plan().agents.some(({ name }) => name === agent)
        ? host.redact(host.definition(agent).instruction)
        : undefined,
    decide: (runId, approvalId, decision) => host.decide(runId, approvalId, decision),
    async fork(runId, { principal, ...fork }) {
      const leave = await admission.enter(fork.signal)
      try {
        const spendingLimit = await spending?.admit(principal)
        return await host.fork(runId, {
          ...fork,
          budget,
          ...(spendingLimit === undefined ? {} : { spendingLimit }),
        })
      } finally {
        leave()
      }
    },
  }
}
