/** One way to go on with a command line. */
export interface Candidate {
  /** The whole word. One that ends with `/` is a folder: the word goes on behind it. */
  readonly value: string
  readonly description?: string
}
