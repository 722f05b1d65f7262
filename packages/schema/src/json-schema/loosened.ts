/** A part of a schema that a form of it cannot hold: the form takes more values than the schema does, never fewer. */
export interface Loosened {
  /** Where values of the schema stand that says it: `/address/city`, `/tags/*`, `/$defs/place/name`; the root is empty. */
  readonly path: string
  readonly keyword: string
  /** In words, to follow "as". */
  readonly why: string
}

/** One of them in a line for a person. */
export function loosenedText({ path, keyword, why }: Loosened): string {
  return `${keyword} of ${path === '' ? 'the root' : path}, as ${why}`
}
