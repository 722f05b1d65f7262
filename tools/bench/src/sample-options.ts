/** One measurement in a process of its own. Plain JSON, since it is passed as an argument. */
export interface SampleOptions {
  /** Name of the module in `measures/`. */
  readonly measure: string
  /** The thing measured: `troupe`, a peer, or a base. */
  readonly subject: string
  /** Amount of work in one call: turns, children, tokens, cards, requests. */
  readonly size: number
  /** Wall time in ms for which work is repeated. */
  readonly budgetMs: number
}

/** Takes one measurement, in µs or as a plain number. Throws if the work was not done. */
export type Measure = (options: SampleOptions) => Promise<number>
