/** Tracks the calls of `once` tools that a run tree has started, so that an interruption can wait for their results. */
export interface OnceCalls {
  /** Registers a call that is about to start. Returns false if no further call may start. A key that is already registered stays so. */
  start(key: string): boolean
  /** Removes a call whose result is persisted. Does nothing if the key is not registered. */
  end(key: string): void
}
