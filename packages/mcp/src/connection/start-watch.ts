import { troupeError, type Clock } from '@troupe/schema'

/** Ends a start that takes too long or is not wanted any more. */
export interface StartWatch {
  /** The work, or a rejection as soon as the start has to end; `close` is called then. */
  guard<T>(work: Promise<T>, close: () => Promise<void>): Promise<T>
  /** True once the time was up. */
  readonly timedOut: boolean
  /** True once nothing more may be tried. */
  readonly over: boolean
  /** Throws when the start is not wanted any more. */
  check(): void
  /** The start is over, whichever way. */
  stop(): void
}

/** Starts to watch. `signal` aborts when the start is not wanted any more. */
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
