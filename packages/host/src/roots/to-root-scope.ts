import { createRootScope, type OpenWaitingRoom } from '@troupe/core'
import { troupeError, type Budget, type RootScope } from '@troupe/schema'
import type { OpenedRoot } from './root-run.ts'
import type { RootsContext } from './roots-context.ts'

/** What all runs of a root work in. Throws `usage_invalid` for a budget that is none. */
export function toRootScope(
  { definition, options, team, log, past, tape }: OpenedRoot,
  { clock, random, lanes }: RootsContext,
  waiting: OpenWaitingRoom | undefined,
): RootScope {
  const { approve, headless, ask, budget } = options
  const { executor, redactor } = team
  const root = createRootScope({
    executor,
    redactor,
    log,
    past,
    tape,
    clock,
    random,
    lanes,
    waiting,
    limits: definition.limits,
    approve,
    headless,
    ask,
    budget: checked(budget),
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
