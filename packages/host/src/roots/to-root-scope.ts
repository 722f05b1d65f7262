import { createRootScope, type OpenOnceCalls, type OpenWaitingRoom } from '@troupe/core'
import { troupeError, type Asker, type Budget, type RootApprover, type RootScope } from '@troupe/schema'
import type { OpenedRoot } from './root-run.ts'
import type { RootsContext } from './roots-context.ts'

/**
 * Sources of human input for a root run: approver, asker and approval gate. Also the `once` calls that an
 * interruption waits for.
 */
export interface RootPeople {
  readonly approve: RootApprover | undefined
  readonly ask: Asker | undefined
  readonly headless: boolean | undefined
  readonly waiting: OpenWaitingRoom | undefined
  readonly onceCalls?: OpenOnceCalls
}

/** Creates the scope shared by all runs of a run tree. Throws `usage_invalid` for an invalid budget. */
export function toRootScope(
  { definition, options, team, log, past, tape }: OpenedRoot,
  { clock, random, limiter }: RootsContext,
  people: RootPeople,
): RootScope {
  const { executor, redactor } = team
  const root = createRootScope({
    ...people,
    executor,
    redactor,
    log,
    past,
    tape,
    clock,
    random,
    limiter,
    limits: definition.limits,
    budget: checked(options.budget),
    spendingLimit: options.spendingLimit,
  })
  // Counts the root run, or all runs started before a resume.
  const begun = past?.size ?? 1
  for (let count = 0; count < begun; count += 1) root.purse.openRun(root.maxRuns)
  return root
}

/** Throws unless all values are positive numbers, since any other cap would not limit anything. */
function checked(budget: Budget | undefined): Budget | undefined {
  for (const [key, value] of Object.entries(budget ?? {})) {
    if (value === undefined || (typeof value === 'number' && value > 0)) continue
    throw troupeError('usage_invalid', `budget.${key}: ${String(value)} is not a number above 0.`)
  }
  return budget
}
