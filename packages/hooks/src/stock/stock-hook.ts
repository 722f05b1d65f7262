import { troupeError, type ToolHook, type TroupeError } from '@troupe/schema'
import type { z } from 'zod'
import type { ParsedFilter } from './call-filter.ts'
import { withReach } from './hook-reach.ts'

/** What a stock hook may use beside its options. */
export interface StockPlace {
  /** What adds lines to a file that a card names; throws for one that must not be written, and rejects where writing fails. */
  openLines?(file: string): (line: string) => Promise<void>
}

/** Makes a hook. Throws an {@link OptionsError} naming every option that is not right. */
export type StockHook<Options> = (
  ...given: Partial<Options> extends Options
    ? [options?: Options, place?: StockPlace]
    : [options: Options, place?: StockPlace]
) => ToolHook

/** One option that is not right. */
export interface OptionProblem {
  /** Keys and positions that lead to it, from the options. */
  readonly path: readonly (string | number)[]
  readonly message: string
  /** Options there are, where the problem is an unknown one. */
  readonly known?: readonly string[]
}

/** `hook_bad_option`, with everything that is wrong. */
export interface OptionsError extends TroupeError {
  readonly problems: readonly OptionProblem[]
}

/** A stock hook whose options are checked when it is made. */
export function stockHook<Options, Parsed extends ParsedFilter>(
  name: string,
  schema: z.ZodObject & z.ZodType<Parsed>,
  make: (options: Parsed, place: StockPlace) => ToolHook,
): StockHook<Options> {
  return (options?: unknown, place: StockPlace = {}) => {
    const parsed = schema.safeParse(options ?? {})
    if (parsed.success) return withReach(make(parsed.data, place), name, parsed.data)
    const known = Object.keys(schema.shape)
    throw optionsError(
      name,
      parsed.error.issues.flatMap((issue) => toProblems(issue, known)),
    )
  }
}

/** The error of options that cannot be used. */
export function optionsError(name: string, problems: readonly OptionProblem[]): OptionsError {
  const lines = problems.map(({ message }) => message).join('; ')
  return Object.assign(troupeError('hook_bad_option', `The hook ${name}: ${lines}.`), { problems })
}

function toProblems(issue: z.core.$ZodIssue, known: readonly string[]): readonly OptionProblem[] {
  const path = issue.path.filter((step) => typeof step !== 'symbol')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `\`${[...path, key].join('.')}\` is no option`,
      ...(path.length === 0 ? { known } : {}),
    }))
  }
  const where = path.length === 0 ? 'the options' : `\`${path.join('.')}\``
  return [{ path, message: `${where}: ${issue.message}` }]
}
