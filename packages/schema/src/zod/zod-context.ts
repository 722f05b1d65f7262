import type * as z from 'zod/v4'
import type { JsonSchema } from '../json-schema/json-schema.ts'

/** What a schema is converted with. */
export interface ZodOptions {
  /**
   * An engine for `pattern` that runs in linear time, such as `createLinearPatterns` of `@troupe/tools`; undefined for a pattern that it does not support. The engine of the
   * platform backtracks, so without this no pattern is run.
   */
  readonly pattern?: (pattern: string) => { test(text: string): boolean } | undefined
}

/** What converters hand on. */
export interface ZodContext extends ZodOptions {
  /** A schema inside. */
  convert(schema: JsonSchema): z.ZodType
  /** A schema that is said beside others of the same value: defaults of several could not be merged, so none are filled in. */
  alternative(schema: JsonSchema): z.ZodType
  /** The definition that a reference names. */
  definition(reference: string): z.ZodType
  /** False: something takes more than it should, so "exactly one" cannot be known. */
  readonly isExact: boolean
  /** Whether defaults are filled in. */
  readonly fills: boolean
}
