import { failure } from '@troupe/schema'
import type { Run } from './run.ts'
import type { Stop } from './stop.ts'

/** Watches one model call: it may take `llmTimeout` in all and be silent for `idleTimeout`. */
export interface StreamWatch {
  /** Something came. */
  touch(): void
  end(): void
}

/** One timer for both limits: it fires at the earlier one, and is set again when the model spoke meanwhile. */
export function watchStream(run: Run, stop: Stop): StreamWatch {
  const { clock } = run.root
  const { llmTimeout, idleTimeout } = run.definition.limits
  const startedAt = clock.monotonic()
  let touchedAt = startedAt
  let cancel: () => void
  const check = (): void => {
    const now = clock.monotonic()
    const left = llmTimeout - (now - startedAt)
    const quiet = idleTimeout - (now - touchedAt)
    if (left <= 0) stop.stop(failure('model_timeout', `The model did not finish within ${llmTimeout} ms.`))
    else if (quiet <= 0) stop.stop(failure('model_timeout', `The model was silent for ${idleTimeout} ms.`))
    else cancel = clock.after(Math.min(left, quiet), check)
  }
  cancel = clock.after(Math.min(llmTimeout, idleTimeout), check)
  return {
    touch: () => {
      touchedAt = clock.monotonic()
    },
    end: () => cancel(),
  }
}
