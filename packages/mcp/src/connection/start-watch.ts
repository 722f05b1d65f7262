import { troupeError, type Clock } from '@troupe/schema'

/** Ends a start that times out or is no longer needed. */
export interface StartWatch {
  /** Returns the result of `work`. Rejects and calls `close` as soon as the start has to end. */
  guard<T>(work: Promise<T>, close: () => Promise<void>): Promise<T>
  /** True if the start timed out. */
  readonly timedOut: boolean
  /** True if no further attempt may be made. */
  readonly over: boolean
  /** Throws `mcp_closed` if the start is no longer needed. */
  check(): void
  /** Stops watching. Call it when the start has succeeded or failed. */
  stop(): void
}

/** Starts watching. `signal` aborts when the start is no longer needed. */
export function watchStart(options: {
  readonly clock: Clock
  readonly timeout: number
  readonly signal: AbortSignal
}): StartWatch {
  const { clock, timeout, signal } = options
  let timedOut = false
  let end = (): void => undefined
  const onAbort = (): void => end()
  const cancel = clock.after(timeout, () => {
    timedOut = true
    end()
  })
  signal.addEventListener('abort', onAbort)

  return {
    guard(work, close) {
      return new Promise((resolve, reject) => {
        end = () => {
          void close()
          reject(troupeError('mcp_closed', 'The start of the MCP server was given up.'))
        }
        work.then(resolve, reject)
        if (timedOut || signal.aborted) end()
      })
    },
    get timedOut() {
      return timedOut
    },
    get over() {
      return timedOut || signal.aborted
    },
    check() {
      if (signal.aborted) throw troupeError('mcp_closed', 'The pool of MCP servers is closed.')
    },
    stop() {
      cancel()
      signal.removeEventListener('abort', onAbort)
    },
  }
}
