/** The client of a request, as identified by the server. */
export interface Caller {
  /** Owner of the runs, sessions and budgets. Other principals cannot see them. */
  readonly principal: string
  /** Client address that limits are counted by; `undefined` if the server does not know it. */
  readonly address?: string
  /** Closes the connection immediately, for a client that does not read what it is sent. */
  cut(): void
}
