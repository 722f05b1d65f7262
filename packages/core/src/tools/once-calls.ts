import type { OnceCalls } from '@troupe/schema/ports'

/** The `once` calls of a run tree, as controlled by its host. */
export interface OpenOnceCalls extends OnceCalls {
  /** Prevents further calls from starting. */
  close(): void
}

/**
 * Tracks the `once` calls of a run tree. After `close`, calls `onBlocked` once, as soon as a call was refused
 * and every earlier call has a result.
 */
export function createOnceCalls(onBlocked: () => void): OpenOnceCalls {
  return new StartedCalls(onBlocked)
}

/** A class to save memory: every root run has one. */
class StartedCalls implements OpenOnceCalls {
  readonly #onBlocked: () => void
  #started: Set<string> | undefined
  #isClosed = false
  #isRefused = false

  constructor(onBlocked: () => void) {
    this.#onBlocked = onBlocked
  }

  start(key: string): boolean {
    if (this.#started?.has(key) === true) return true
    if (this.#isClosed) {
      const isFirst = !this.#isRefused
      this.#isRefused = true
      if (isFirst) this.#report()
      return false
    }
    ;(this.#started ??= new Set()).add(key)
    return true
  }

  end(key: string): void {
    if (this.#started?.delete(key) === true && this.#isRefused) this.#report()
  }

  close(): void {
    this.#isClosed = true
  }

  #report(): void {
    if ((this.#started?.size ?? 0) === 0) this.#onBlocked()
  }
}
