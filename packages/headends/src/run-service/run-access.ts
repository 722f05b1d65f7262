import { troupeError } from '@troupe/schema'
import { z } from 'zod'
import { isOperator, type Caller } from '../headend/headend.ts'
import type { RunService } from './run-service.ts'
import type { RunRef } from './stored-run.ts'

/** Schema of the query parameter that names the owner of the runs to list. */
export const ownerQuery: z.ZodOptional<z.ZodString> = z
  .string()
  .optional()
  .meta({ description: 'Owner, `*` for all.' })

/**
 * Returns the principal whose runs are requested, `undefined` for all of them. Throws `operator_required` if
 * the caller may only read its own.
 */
export function requestedOwner(principal: string | undefined, caller: Caller): string | undefined {
  if (principal === undefined || principal === caller.principal) return caller.principal
  if (!isOperator(caller))
    throw troupeError('operator_required', 'principal: only an operator can read the runs of others.')
  return principal === '*' ? undefined : principal
}

/** Returns a run with the principal as which the caller reads it. Operators act as the owner of the run. */
export async function runRefFor(
  runId: string,
  caller: Caller,
  runService: Pick<RunService, 'ownerOf'>,
): Promise<RunRef> {
  const owner = isOperator(caller) ? await runService.ownerOf(runId) : undefined
  return { runId, principal: owner ?? caller.principal }
}
