/**
 * A part of a schema that a converted form cannot express. The converted form accepts more values than the
 * schema, never fewer.
 */
export interface SchemaRelaxation {
  /**
   * Path of the values that the keyword applies to: `/address/city`, `/tags/*`, `/$defs/place/name`; empty
   * for the root.
   */
  readonly path: string
  readonly keyword: string
  /** Reason, phrased to follow "as". */
  readonly why: string
}

/** Describes a relaxation in one line. */
export function relaxationText({ path, keyword, why }: SchemaRelaxation): string {
  return `${keyword} of ${path === '' ? 'the root' : path}, as ${why}`
}
