import { TOOL_SOURCES, type HookContext, type ToolSource } from '@troupe/schema'
import picomatch from 'picomatch/posix.js'
import { z } from 'zod'

/** Which calls a stock hook concerns; without any of these: all. */
export interface CallFilter {
  /** Globs of canonical names, such as `shell.*` or `github__*`. */
  readonly tools?: readonly string[]
  /** Globs of canonical names that it leaves alone. */
  readonly except?: readonly string[]
  readonly sources?: readonly ToolSource[]
}

/** A filter out of a schema. */
export type ParsedFilter = { readonly [K in keyof CallFilter]: CallFilter[K] | undefined }

const globs = z.array(z.string().min(1)).min(1)

/** The options of a {@link CallFilter}, to be spread into those of a hook. */
export const callFilterOptions: {
  readonly tools: z.ZodOptional<z.ZodArray<z.ZodString>>
  readonly except: z.ZodOptional<z.ZodArray<z.ZodString>>
  readonly sources: z.ZodOptional<z.ZodArray<z.ZodType<ToolSource>>>
} = {
  tools: globs.optional(),
  except: globs.optional(),
  sources: z
    .array(z.enum(TOOL_SOURCES) as z.ZodType<ToolSource>)
    .min(1)
    .optional(),
}

/** True for the calls a hook concerns. */
export type Concerns = (ctx: Pick<HookContext, 'toolName' | 'toolSource'>) => boolean

/** The test of a filter; patterns are compiled once. */
export function concernsOf({ tools, except, sources }: ParsedFilter): Concerns {
  const isNamed = matcher(tools, true)
  const isExcepted = matcher(except, false)
  return ({ toolName, toolSource }) =>
    isNamed(toolName) && !isExcepted(toolName) && (sources === undefined || sources.includes(toolSource))
}

function matcher(patterns: readonly string[] | undefined, otherwise: boolean): (name: string) => boolean {
  return patterns === undefined ? () => otherwise : namesAny(patterns)
}

/** True for the names that one of the globs matches. */
export function namesAny(globs: readonly string[]): (name: string) => boolean {
  return picomatch([...globs], { nonegate: true, dot: true })
}
