import { createRootScope, type OpenOnceCalls, type OpenWaitingRoom } from '@troupe/core'
import { troupeError, type Asker, type Budget, type RootApprover, type RootScope } from '@troupe/schema'
import type { OpenedRoot } from './root-run.ts'
import type { RootsContext } from './roots-context.ts'

/** Who can be asked below a root, where what asks waits meanwhile, and what an interruption waits for. */
export interface RootPeople {
  readonly approve: RootApprover | undefined
  readonly ask: Asker | undefined
  readonly headless: boolean | undefined
  readonly waiting: OpenWaitingRoom | undefined
  readonly onceCalls?: OpenOnceCalls
}

/** What all runs of a root work in. Throws `usage_invalid` for a budget that is none. */
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
  // the root, or all that had begun
  const begun = past?.size ?? 1
  for (let count = 0; count < begun; count += 1) root.purse.openRun(root.maxRuns)
  return root
}

/** Nothing below 0 and nothing that is no number: such a cap would be no cap. */
function checked(budget: Budget | undefined): Budget | undefined {
  for (const [key, value] of Object.entries(budget ?? {})) {
    if (value === undefined || (typeof value === 'number' && value > 0)) continue
    throw troupeError('usage_invalid', `budget.${key}: ${String(value)} is not a number above 0.`)
  }
  return budget
}
