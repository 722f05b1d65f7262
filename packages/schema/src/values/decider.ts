/** Ways in which a person can decide: the web page, another client of the server, the terminal, Slack, or a link. */
export const DECISION_CHANNELS = ['page', 'api', 'terminal', 'slack', 'link'] as const

/** The way in which a decision was made. */
export type DecisionChannel = (typeof DECISION_CHANNELS)[number]

/** The person who made a decision. A type alias, because interfaces are not assignable to `Json`. */
export type Decider = {
  readonly via: DecisionChannel
  /** Principal of the server, user of Slack, or the receiver of the link, who need not be the one who used it. */
  readonly name?: string
}
