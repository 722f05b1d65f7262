import { failure } from '@troupe/schema'
import type { Run } from '../run/run.ts'
import type { Cancellation } from '../run/cancellation.ts'

/** Timeouts of one model call: `llmTimeout` in total, and `idleTimeout` without data. */
export interface StreamWatch {
  /** Restarts the idle timeout. Call it for every part. */
  touch(): void
  end(): void
}

/** Starts one timer for both timeouts. It fires at the earlier one, and restarts if data came meanwhile. */
export function watchStream(run: Run, stop: Cancellation): StreamWatch {
  return new CallWatch(run, stop)
}

/** A class to save memory: every model call has one. */
class CallWatch implements StreamWatch {
  readonly #run: Run
  readonly #stop: Cancellation
  readonly #startedAt: number
  #touchedAt: number
  #cancel: () => void

  constructor(run: Run, stop: Cancellation) {
    const { clock } = run.root
    const { llmTimeout, idleTimeout } = run.definition.limits
    this.#run = run
    this.#stop = stop
    this.#startedAt = clock.monotonic()
    this.#touchedAt = this.#startedAt
    this.#cancel = clock.after(Math.min(llmTimeout, idleTimeout), this.#check)
  }

  readonly #check = (): void => {
    const { clock } = this.#run.root
    const { llmTimeout, idleTimeout } = this.#run.definition.limits
    const now = clock.monotonic()
    const left = llmTimeout - (now - this.#startedAt)
    const quiet = idleTimeout - (now - this.#touchedAt)
    if (left <= 0)
      this.#stop.cancel(failure('model_timeout', `The model did not finish within ${llmTimeout} ms.`))
    else if (quiet <= 0)
      this.#stop.cancel(failure('model_timeout', `The model was silent for ${idleTimeout} ms.`))
    // whole ms: a remainder that is too small to advance the clock would repeat forever
    else this.#cancel = clock.after(Math.ceil(Math.min(left, quiet)), this.#check)
  }

  touch(): void {
    this.#touchedAt = this.#run.root.clock.monotonic()
  }

  end(): void {
    this.#cancel()
  }
}
