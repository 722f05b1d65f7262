import type { AnswerProgress, SlackRequest } from '../intake/slack-request.ts'

/** A stored request with the progress of its answer. */
export interface StoredSlackRequest {
  readonly request: SlackRequest
  readonly progress: AnswerProgress
}

/** The usage of one request so far. */
export interface RequestSpending {
  /** The id of the request. */
  readonly by: string
  readonly tokens: number
  /** In micro-USD. */
  readonly micros: number
}

/** The usage of a person or a channel. */
export interface SubjectUsage {
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
  note(request: SlackRequest, progress: AnswerProgress): void
  /** Marks a request as answered. */
  settle(request: SlackRequest): void
  find(team: string, id: string): StoredSlackRequest | undefined
  /** Returns the requests without an answer, in order of arrival. */
  open(): readonly StoredSlackRequest[]
  /** Sets the total usage of a request for a subject, such as `user:T1:U1`. It never decreases. */
  setUsage(subject: string, spending: RequestSpending): void
  /** Returns the usage of a subject since a time, without that of the request `except`. */
  usageSince(subject: string, time: number, except?: string): SubjectUsage
  /** Deletes the answered requests and the usage from before a time. */
  forget(before: number): void
  close(): void
}
