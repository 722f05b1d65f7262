import type { ToolDefinition, ToolEffect, ToolHook } from '@troupe/schema'
import { compileCallFilter, globMatcher, type ParsedFilter } from './call-filter.ts'

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
export function withReach(
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
