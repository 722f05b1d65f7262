import {
  troupeError,
  type ToolHook,
  type TroupeError,
  type ToolDefinition,
  type ToolEffect,
  parseDuration,
  type HookContext,
} from '@troupe/schema'
import { z } from 'zod'
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
  /** The reason why the option is not valid. */
  readonly message: string
  /** The valid option names, if the problem is an unknown one. */
  readonly known?: readonly string[]
}

/** A `hook_bad_option` error with every problem. */
export interface OptionsError extends TroupeError {
  /** Every problem of the options. */
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

/** Converts an issue of a schema to problems with options. */
export function toProblems(issue: z.core.$ZodIssue, known: readonly string[]): readonly OptionProblem[] {
  const path = issue.path.filter((step) => typeof step !== 'symbol')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `\`${[...path, key].join('.')}\` is not an option`,
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

/** Returns the schema of a duration option, parsed to ms. `least` is the minimum in ms. */
export function durationOption(least = 0): z.ZodType<number, number | string> {
  return z
    .union([z.number(), z.string()], { error: 'must be a number of ms or text such as "200ms" or "5m"' })
    .refine((value) => (parseDuration(value) ?? -1) >= least, {
      error: `must be a number of ms or text such as "200ms" or "5m"${least === 0 ? '' : `, at least ${least} ms`}`,
    })
    .transform((value) => parseDuration(value) ?? 0)
}

/** A duration in options: ms, or text such as `200ms` and `5m`. */
export type DurationInput = number | string

/** Schema of an option that lists tool effects. */
export const effectList: z.ZodType<readonly ToolEffect[]> = z
  .array(z.enum(['read', 'idempotent', 'once'] as const satisfies readonly ToolEffect[]))
  .min(1)

const KEY = 'troupe.hooks'

/**
 * Returns the state of one hook within a scope. `owner` is an object unique to the hook, so that two hooks of
 * one kind do not share state.
 */
export function hookState<State>(
  ctx: Pick<HookContext, 'state'>,
  options: { readonly owner: object; readonly scope: 'run' | 'root' },
  create: () => State,
): State {
  const scope = ctx.state(options.scope)
  const states = (scope.get(KEY) as Map<object, unknown> | undefined) ?? new Map<object, unknown>()
  scope.set(KEY, states)
  if (!states.has(options.owner)) states.set(options.owner, create())
  return states.get(options.owner) as State
}

/** Waits by the clock of the run. Resolves with false if the run is cancelled first. */
export function wait({ clock, signal }: Pick<HookContext, 'clock' | 'signal'>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  if (signal.aborted) return Promise.resolve(false)
  const cancel = clock.after(ms, () => {
    signal.removeEventListener('abort', stop)
    resolve(true)
  })
  function stop(): void {
    cancel()
    resolve(false)
  }
  signal.addEventListener('abort', stop, { once: true })
  return promise
}
