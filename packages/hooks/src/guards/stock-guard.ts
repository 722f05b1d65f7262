import { failure, TroupeError, type JsonObject } from '@troupe/schema'
import type { StockGuard } from '@troupe/schema/ports'
import type { z } from 'zod'
import { toProblems, type OptionProblem } from '../stock/stock-hook.ts'

/** Creates a stock guard from options that have not been checked yet. Throws `guard_invalid` with every problem. */
export type GuardFactory = (options?: JsonObject) => StockGuard

/** Defines a stock guard, whose options are checked when it is created. */
export function stockGuard<Parsed>(
  name: string,
  schema: z.ZodObject & z.ZodType<Parsed>,
  make: (options: Parsed) => StockGuard,
): [string, GuardFactory] {
  const create: GuardFactory = (options = {}) => {
    const parsed = schema.safeParse(options)
    if (parsed.success) return make(parsed.data)
    const known = Object.keys(schema.shape)
    throw optionsError(
      name,
      parsed.error.issues.flatMap((issue) => toProblems(issue, known)),
    )
  }
  return [name, create]
}

function optionsError(name: string, problems: readonly OptionProblem[]): TroupeError {
  const lines = problems.map(({ message }) => message).join('; ')
  const error = new TroupeError(failure('guard_invalid', `The guard troupe:${name}: ${lines}.`))
  return Object.assign(error, { problems })
}
