import { TOOL_SOURCES, type HookContext, type ToolSource } from '@troupe/schema'
import picomatch from 'picomatch/posix.js'
import { z } from 'zod'

/** Selects the calls that a stock hook applies to. Without any of these options, it applies to all calls. */
export interface CallFilter {
  /** Globs of canonical tool names, such as `shell.*` or `github__*`. */
  readonly tools?: readonly string[]
  /** Globs of canonical tool names to leave out. */
  readonly except?: readonly string[]
  /** Only tools of these sources. Default: all. */
  readonly sources?: readonly ToolSource[]
}

/** A filter as parsed by a schema. */
export type ParsedFilter = { readonly [K in keyof CallFilter]: CallFilter[K] | undefined }

const globs = z.array(z.string().min(1)).min(1)

/** Schema of a {@link CallFilter}, to be spread into the options of a hook. */
export const callFilterOptions: {
  readonly tools: z.ZodOptional<z.ZodArray<z.ZodString>>
  readonly except: z.ZodOptional<z.ZodArray<z.ZodString>>
  readonly sources: z.ZodOptional<z.ZodArray<z.ZodType<ToolSource>>>
} = {
  tools: globs.optional(),
  except: globs.optional(),
  sources: z
    .array(z.enum(TOOL_SOURCES.filter((source) => source !== 'provider')) as z.ZodType<ToolSource>)
    .min(1)
    .optional(),
}

/** Returns true if the hook applies to the call. */
type CallPredicate = (ctx: Pick<HookContext, 'toolName' | 'toolSource'>) => boolean

/** Compiles a filter to a predicate. */
export function compileCallFilter({ tools, except, sources }: ParsedFilter): CallPredicate {
  const isNamed = matcher(tools, true)
  const isExcepted = matcher(except, false)
  return ({ toolName, toolSource }) =>
    isNamed(toolName) && !isExcepted(toolName) && (sources === undefined || sources.includes(toolSource))
}

function matcher(patterns: readonly string[] | undefined, otherwise: boolean): (name: string) => boolean {
  return patterns === undefined ? () => otherwise : globMatcher(patterns)
}

/** Returns a predicate that is true for names matching at least one glob. */
export function globMatcher(globs: readonly string[]): (name: string) => boolean {
  return picomatch([...globs], { nonegate: true, dot: true })
}
