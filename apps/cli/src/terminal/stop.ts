import type { Failure } from '@troupe/schema'

/** Cause that stops the program early. */
export type StopCause = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'EPIPE'

/** Cancellation of the whole program. The first cause counts. */
export interface ProgramStop {
  /** Aborted with a `Failure` as reason. */
  readonly signal: AbortSignal
  /** Exit code of the cause; `undefined` until a stop is requested. */
  readonly exitCode: number | undefined
  /** True if the output has no reader any more. */
  readonly silent: boolean
  request(cause: StopCause): void
}

/** Exit code (128 plus the signal number) and description of each cause. */
const CAUSES: ReadonlyMap<StopCause, { readonly exitCode: number; readonly why: string }> = new Map([
  ['SIGINT', { exitCode: 130, why: 'Ctrl-C (SIGINT)' }],
  ['SIGTERM', { exitCode: 143, why: 'the program received SIGTERM' }],
  ['SIGHUP', { exitCode: 129, why: 'the terminal was closed (SIGHUP)' }],
  ['EPIPE', { exitCode: 141, why: 'the reader of the output closed it (EPIPE)' }],
])

export function createStop(): ProgramStop {
  const controller = new AbortController()
  let first: StopCause | undefined
  return {
    signal: controller.signal,
    get exitCode() {
      return first === undefined ? undefined : CAUSES.get(first)?.exitCode
    },
    get silent() {
      return first === 'SIGHUP' || first === 'EPIPE'
    },
    request(cause) {
      if (first !== undefined) return
      first = cause
      controller.abort(toReason(CAUSES.get(cause)?.why ?? cause))
    },
  }
}

/** Builds the failure by hand: importing `failure` would slow down `--help`. */
function toReason(message: string): Failure {
  return { class: 'cancelled', code: 'run_cancelled', message, remediation: 'Run the command again.' }
}

/** Resolves when the program is stopped. */
export async function waitForStop({ signal }: ProgramStop): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** Handlers of Ctrl-C. Without a handler, Ctrl-C stops the program. */
export interface Interrupts {
  /** Adds a handler and returns a function that removes it. Only the handler added last is called. */
  addHandler(fn: () => void): () => void
  /** Calls the handler. Returns false if there is none. */
  handleInterrupt(): boolean
}

export function createInterrupts(): Interrupts {
  const handlers: (() => void)[] = []
  return {
    addHandler(fn) {
      const handler = (): void => fn()
      handlers.push(handler)
      return () => {
        const index = handlers.indexOf(handler)
        if (index !== -1) handlers.splice(index, 1)
      }
    },
    handleInterrupt() {
      const last = handlers.at(-1)
      last?.()
      return last !== undefined
    },
  }
}
