import {
  troupeError,
  type ToolHook,
  type TroupeError,
  type ToolDefinition,
  type ToolEffect,
} from '@troupe/schema'
import type { z } from 'zod'
import { compileCallFilter, globMatcher, type ParsedFilter } from './call-filter.ts'

/** Capabilities of the host that a stock hook may use. */
export interface StockHookHost {
  /**
   * Opens a file named in a card and returns a function that appends lines to it. Throws if the file must not
   * be written; the returned function rejects if writing fails.
   */
  openLines?(file: string): (line: string) => Promise<void>
}

/** Creates a hook from its options. Throws an {@link OptionsError} that lists every invalid option. */
export type StockHook<Options> = (
  ...given: Partial<Options> extends Options
    ? [options?: Options, place?: StockHookHost]
    : [options: Options, place?: StockHookHost]
) => ToolHook

/** An invalid option. */
export interface OptionProblem {
  /** Keys and indexes that lead from the options to the invalid one. */
  readonly path: readonly (string | number)[]
  readonly message: string
  /** The valid option names, if the problem is an unknown one. */
  readonly known?: readonly string[]
}

/** A `hook_bad_option` error with every problem. */
export interface OptionsError extends TroupeError {
  readonly problems: readonly OptionProblem[]
}

/** Defines a stock hook, whose options are checked when it is created. */
export function stockHook<Options, Parsed extends ParsedFilter>(
  name: string,
  schema: z.ZodObject & z.ZodType<Parsed>,
  make: (options: Parsed, host: StockHookHost) => ToolHook,
): StockHook<Options> {
  return (options?: unknown, host: StockHookHost = {}) => {
    const parsed = schema.safeParse(options ?? {})
    if (parsed.success) return withReach(make(parsed.data, host), name, parsed.data)
    const known = Object.keys(schema.shape)
    throw optionsError(
      name,
      parsed.error.issues.flatMap((issue) => toProblems(issue, known)),
    )
  }
}

/** Creates the error for invalid options. */
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

/** The tools that a stock hook applies to, known without calling it. */
export interface HookReach {
  /** The name used in cards, without `troupe:`. */
  readonly name: string
  /** Each glob of the `tools` option, with a predicate for canonical names. */
  readonly globs: readonly { readonly glob: string; matches(toolName: string): boolean }[]
  /** Returns true if the hook applies to calls of the tool, judged by name, source and effect. */
  concerns(tool: Pick<ToolDefinition, 'name' | 'source' | 'effect'>): boolean
}

/** A registered symbol, so that hooks made by another copy of this package are recognised too. */
const REACH = Symbol.for('troupe.hookReach')

/** Returns the reach of a stock hook, or `undefined` for any other hook. */
export function hookReach(hook: ToolHook): HookReach | undefined {
  return (hook as { readonly [REACH]?: HookReach })[REACH]
}

/** Attaches its reach to a hook. */
function withReach(
  hook: ToolHook,
  name: string,
  filter: ParsedFilter & { readonly effects?: readonly ToolEffect[] | undefined },
): ToolHook {
  const { tools = [], effects } = filter
  const concerns = compileCallFilter(filter)
  const reach: HookReach = {
    name,
    globs: tools.map((glob) => ({ glob, matches: globMatcher([glob]) })),
    concerns: (tool) =>
      concerns({ toolName: tool.name, toolSource: tool.source }) &&
      (effects === undefined || effects.includes(tool.effect)),
  }
  return Object.defineProperty(hook, REACH, { value: reach })
}
