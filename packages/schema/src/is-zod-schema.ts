import type { z } from 'zod'

const INTERNALS = '_zod'

/**
 * True for a schema of zod 4, whichever copy or edition (`zod/mini`) it comes from: the author's zod is not the one in this package.
 * What JSON or YAML can hold is never one.
 */
export function isZodSchema(value: unknown): value is z.ZodType {
  const schema = value as { readonly [INTERNALS]?: { readonly traits?: unknown } | null } | null | undefined
  return schema?.[INTERNALS]?.traits instanceof Set
}
