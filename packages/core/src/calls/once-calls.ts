import type { OnceCalls } from '@troupe/schema'

/** The `once` calls of a run tree, as its host holds them. */
export interface OpenOnceCalls extends OnceCalls {
  /** Lets no further call start. */
  close(): void
}

/**
 * Tracks the `once` calls of one run tree. After `close`, calls `onBlocked` once: as soon as a call was refused and none that started before is
 * without a result.
 */
export function createOnceCalls(onBlocked: () => void): OpenOnceCalls {
  return new StartedCalls(onBlocked)
}

/** A class, because every root run has one. */
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
