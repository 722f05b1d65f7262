/** One line of the access log: who asked for what, and what came of it. Queries and bodies are not in it. */
export interface AccessRecord {
  /** Wall time in ms. */
  readonly time: number
  readonly method: string
  readonly path: string
  readonly status: number
  /** From the request to the end of the answer, in ms. */
  readonly durationMs: number
  /** None: it was not let in. */
  readonly principal?: string
  /** Of the headend that answered; none: nobody did. */
  readonly headend?: string
  readonly runId?: string
  /** The client left before the end. */
  readonly aborted?: true
}
