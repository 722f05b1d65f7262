import { createRootScope, type OpenOnceCalls, type ApprovalGateControl } from '@troupe/core'
import {
  troupeError,
  type Asker,
  type Budget,
  type RunTreeApprover,
  type RunTreeContext,
} from '@troupe/schema'
import type { OpenRootRun } from './root-run.ts'
import type { RootRunsContext } from './root-runs-context.ts'

/**
 * Sources of human input for a root run: approver, asker and approval gate. Also the `once` calls that an
 * interruption waits for.
 */
export interface RootHumanInput {
  readonly approve: RunTreeApprover | undefined
  readonly ask: Asker | undefined
  readonly headless: boolean | undefined
  readonly waiting: ApprovalGateControl | undefined
  readonly onceCalls?: OpenOnceCalls
}

/** Creates the scope shared by all runs of a run tree. Throws `usage_invalid` for an invalid budget. */
export function toRootScope(
  { definition, options, team, log, past, recording }: OpenRootRun,
  { clock, random, limiter }: RootRunsContext,
  humanInput: RootHumanInput,
): RunTreeContext {
  const { executor, redactor } = team
  const root = createRootScope({
    ...humanInput,
    executor,
    redactor,
    log,
    past,
    recording,
    clock,
    random,
    limiter,
    limits: definition.limits,
    budget: requirePositiveBudget(options.budget),
    spendingLimit: options.spendingLimit,
  })
  // Counts the root run, or all runs started before a resume.
  const startedRuns = past?.runCount ?? 1
  for (let count = 0; count < startedRuns; count += 1) root.budgetLedger.openRun(root.maxRuns)
  return root
}

/** Throws unless all values are positive numbers, since any other cap would not limit anything. */
function requirePositiveBudget(budget: Budget | undefined): Budget | undefined {
  for (const [key, value] of Object.entries(budget ?? {})) {
    if (value === undefined || (typeof value === 'number' && value > 0)) continue
    throw troupeError('usage_invalid', `budget.${key}: ${String(value)} is not a number above 0.`)
  }
  return budget
}
