import type { RequestPlace, SlackRequest } from '../intake/slack-request.ts'

/** A stored request with the progress of its answer. */
export interface KeptRequest {
  readonly request: SlackRequest
  readonly place: RequestPlace
}

/** The usage of one request so far. */
export interface Spending {
  /** The id of the request. */
  readonly by: string
  readonly tokens: number
  /** In micro-USD. */
  readonly micros: number
}

/** The usage of a person or a channel. */
export interface Spent {
  readonly requests: number
  readonly tokens: number
  /** In micro-USD. */
  readonly micros: number
}

/** The persistent state of the app. Every method has written when it returns. */
export interface SlackState {
  /** Stores a request. Returns false if it is already known. */
  take(request: SlackRequest): boolean
  /** Stores the progress of an answer, merged with what was stored before. */
  note(request: SlackRequest, place: RequestPlace): void
  /** Marks a request as answered. */
  settle(request: SlackRequest): void
  find(team: string, id: string): KeptRequest | undefined
  /** Returns the requests without an answer, in order of arrival. */
  open(): readonly KeptRequest[]
  /** Sets the total usage of a request for a subject, such as `user:T1:U1`. It never decreases. */
  spend(subject: string, spending: Spending): void
  /** Returns the usage of a subject since a time, without that of the request `except`. */
  spentSince(subject: string, time: number, except?: string): Spent
  /** Deletes the answered requests and the usage from before a time. */
  forget(before: number): void
  close(): void
}
