/** Completion of the current word. */
export interface Candidate {
  /** The whole word. A value that ends with `/` is a folder, which can be completed further. */
  readonly value: string
  readonly description?: string
}
