import type { Failure } from '@troupe/schema'

/** What makes the program stop before its work is done. */
export type StopCause = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'EPIPE'

/** The one stop of the program: the first cause counts. */
export interface ProgramStop {
  /** Aborts with a `Failure` that says why. */
  readonly signal: AbortSignal
  /** The exit code of the cause; undefined while nothing asked to stop. */
  readonly exitCode: number | undefined
  /** Nobody reads what is printed any more. */
  readonly silent: boolean
  request(cause: StopCause): void
}

/** Exit code (128 and the number of the signal) and wording of each cause. */
const CAUSES: ReadonlyMap<StopCause, { readonly exitCode: number; readonly why: string }> = new Map([
  ['SIGINT', { exitCode: 130, why: 'Ctrl-C (SIGINT)' }],
  ['SIGTERM', { exitCode: 143, why: 'the program received SIGTERM' }],
  ['SIGHUP', { exitCode: 129, why: 'the terminal was closed (SIGHUP)' }],
  ['EPIPE', { exitCode: 141, why: 'the reader of the output left (EPIPE)' }],
])

/** A stop that nothing has asked for yet. */
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

/** Written out, as the start of the program loads types only: `--help` stays fast. */
function toReason(message: string): Failure {
  return { class: 'cancelled', code: 'run_cancelled', message, remediation: 'Start it again.' }
}
