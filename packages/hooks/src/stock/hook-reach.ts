import type { ToolDefinition, ToolEffect, ToolHook } from '@troupe/schema'
import { concernsOf, namesAny, type ParsedFilter } from './call-filter.ts'

/** What can be told of a stock hook without a call. */
export interface HookReach {
  /** The name that cards use, without `troupe:`. */
  readonly name: string
  /** Each glob of its option `tools`, and whether a canonical name matches it. */
  readonly globs: readonly { readonly glob: string; matches(toolName: string): boolean }[]
  /** True for a tool whose calls it concerns: by name, source and effect. */
  concerns(tool: Pick<ToolDefinition, 'name' | 'source' | 'effect'>): boolean
}

/** Registered, so that a hook made by another copy of this package is understood as well. */
const REACH = Symbol.for('troupe.hookReach')

/** What a stock hook concerns; undefined for every other hook, which can only be asked by calling it. */
export function hookReach(hook: ToolHook): HookReach | undefined {
  return (hook as { readonly [REACH]?: HookReach })[REACH]
}

/** Notes on a hook what it concerns. */
export function withReach(
  hook: ToolHook,
  name: string,
  filter: ParsedFilter & { readonly effects?: readonly ToolEffect[] | undefined },
): ToolHook {
  const { tools = [], effects } = filter
  const concerns = concernsOf(filter)
  const reach: HookReach = {
    name,
    globs: tools.map((glob) => ({ glob, matches: namesAny([glob]) })),
    concerns: (tool) =>
      concerns({ toolName: tool.name, toolSource: tool.source }) &&
      (effects === undefined || effects.includes(tool.effect)),
  }
  return Object.defineProperty(hook, REACH, { value: reach })
}
