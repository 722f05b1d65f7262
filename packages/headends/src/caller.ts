import type { EventSource } from './event-source.ts'

/** Who asks, as the server has found out. */
export interface Caller {
  /** Runs, sessions and budgets belong to it; nobody else sees them. */
  readonly principal: string
  /** The address that the client is counted by, if the server knows it. */
  readonly address?: string
  /** Ends the connection at once: for a client that does not read what it is sent. */
  cut(): void
  /** Writes events to the connection itself, behind these headers, and gives what stands for the answer. None: they are the body of an answer. */
  stream?(events: EventSource, headers: Readonly<Record<string, string>>): Response
}
