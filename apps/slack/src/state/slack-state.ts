import type { RequestPlace, SlackRequest } from '../intake/slack-request.ts'

/** A request with what is known of its answer. */
export interface KeptRequest {
  readonly request: SlackRequest
  readonly place: RequestPlace
}

/** What a request has used so far. */
export interface Spending {
  /** The request. */
  readonly by: string
  readonly tokens: number
  /** In micro-USD. */
  readonly micros: number
}

/** What somebody, or a channel, has used. */
export interface Spent {
  readonly requests: number
  readonly tokens: number
  /** In micro-USD. */
  readonly micros: number
}

/** What the app remembers beyond its process. Every method has written when it returns. */
export interface SlackState {
  /** False: it is known already. */
  take(request: SlackRequest): boolean
  /** Where its answer stands; adds to what was noted before. */
  note(request: SlackRequest, place: RequestPlace): void
  /** It is answered for good. */
  settle(request: SlackRequest): void
  find(team: string, id: string): KeptRequest | undefined
  /** Those that are not answered, in the order in which they came. */
  open(): readonly KeptRequest[]
  /** What a request of a subject, such as `user:T1:U1`, has used so far: in place of what was said of it before, and never less. */
  spend(subject: string, spending: Spending): void
  /** `except`: what this request has used does not count. */
  spentSince(subject: string, time: number, except?: string): Spent
  /** Forgets what is answered and was taken before a time, and what was spent before it. */
  forget(before: number): void
  close(): void
}
