import type * as z from 'zod/v4'
import type { JsonSchema } from '../json-schema/json-schema.ts'

/** Options of the conversion to zod. */
export interface ZodOptions {
  /**
   * Compiles a `pattern` for an engine that runs in linear time, such as `createLinearPatterns` of
   * `@troupe/tools`. Returns `undefined` if the engine does not support the pattern. Without this option no
   * pattern is checked, because the engine of JavaScript backtracks.
   */
  readonly pattern?: (pattern: string) => { test(text: string): boolean } | undefined
}

/** Operations and options for converters. */
export interface ZodContext extends ZodOptions {
  /** Converts a subschema. */
  convert(schema: JsonSchema): z.ZodType
  /**
   * Converts one of several schemas for the same value. Fills in no defaults, because those of several
   * schemas could not be merged.
   */
  alternative(schema: JsonSchema): z.ZodType
  /** Returns the definition that a reference names. */
  definition(reference: string): z.ZodType
  /** False if some part accepts more than it should, so "exactly one" cannot be checked. */
  readonly isExact: boolean
  /** True if defaults are filled in. */
  readonly fills: boolean
}
