import { troupeError, type Clock, type TroupeError } from '@troupe/schema'

/** Timeouts of a provider, in ms. */
export interface TransportTimeouts {
  /** Time to connect, including TLS. */
  readonly connect: number
  /** Time from the request to the first byte of the response. */
  readonly firstByte: number
  /** Time between two chunks of the response. */
  readonly idle: number
}

/** Timeouts that apply if none are configured. */
export const DEFAULT_TIMEOUTS: TransportTimeouts = Object.freeze({
  connect: 10_000,
  firstByte: 60_000,
  idle: 30_000,
})

/** Phase of a request: waiting for the connection, the first byte or the next chunk. */
type Phase = keyof TransportTimeouts

/** Timeouts of a provider and their clock. */
export interface TimeoutRules {
  readonly provider: string
  readonly timeouts: TransportTimeouts
  readonly clock: Pick<Clock, 'after' | 'monotonic'>
}

/**
 * Enforces the timeouts of one request and aborts it with the caller's signal. Uses one timer per phase
 * instead of one per chunk.
 */
export class TimeoutWatch {
  readonly #rules: TimeoutRules
  readonly #release: () => void
  #phase: Phase = 'firstByte'
  #since: number
  #cancel: () => void
  #close: ((why: unknown) => void) | undefined
  #over: { readonly why: unknown } | undefined

  constructor(rules: TimeoutRules, signal: AbortSignal | undefined) {
    this.#rules = rules
    this.#since = rules.clock.monotonic()
    this.#cancel = this.#arm(rules.timeouts.firstByte)
    const onAbort = (): void => this.abandon(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#release = () => signal?.removeEventListener('abort', onAbort)
    if (signal?.aborted === true) onAbort()
  }

  /** Reason why the request was abandoned; `undefined` if it was not. */
  get abandoned(): { readonly why: unknown } | undefined {
    return this.#over
  }

  /** Starts a phase and its timeout. */
  enter(phase: Phase): void {
    if (this.#over !== undefined) return
    this.#cancel()
    this.#phase = phase
    this.#since = this.#rules.clock.monotonic()
    this.#cancel = this.#arm(this.#rules.timeouts[phase])
  }

  /** Records that a chunk arrived. */
  touch(): void {
    if (this.#phase === 'idle') this.#since = this.#rules.clock.monotonic()
    else this.enter('idle')
  }

  /** Ends the watch when the response is complete. */
  end(): void {
    this.#cancel()
    this.#release()
  }

  /** Abandons the request: closes the connection and stores the reason for the reader. */
  abandon(why: unknown): void {
    if (this.#over !== undefined) return
    this.#over = { why }
    this.end()
    this.#close?.(why)
  }

  /** Sets the function that closes the connection. */
  setClose(close: (why: unknown) => void): void {
    this.#close = close
    if (this.#over !== undefined) close(this.#over.why)
  }

  #arm(ms: number): () => void {
    return this.#rules.clock.after(ms, this.#check)
  }

  readonly #check = (): void => {
    const { clock, timeouts } = this.#rules
    // round up: a remainder below the clock's resolution would rearm the timer forever
    const left = Math.ceil(timeouts[this.#phase] - (clock.monotonic() - this.#since))
    if (left > 0) this.#cancel = this.#arm(left)
    else this.abandon(tooSlow(this.#rules, this.#phase))
  }
}

const PHASE_MESSAGES: Readonly<Record<Phase, string>> = {
  connect: 'could not be reached',
  firstByte: 'did not start to respond',
  idle: 'sent no further data',
}

function tooSlow({ provider, timeouts }: TimeoutRules, phase: Phase): TroupeError {
  const message = `${provider} ${PHASE_MESSAGES[phase]} within ${timeouts[phase]} ms.`
  return troupeError('model_timeout', message, {
    fix: fixOf(phase, { provider, timeouts }),
    // this error code tells the budget ledger that no request was sent
    ...(phase === 'connect'
      ? { cause: Object.assign(new TypeError(message), { code: CONNECT_TIMEOUT_CODE }) }
      : {}),
  })
}

function fixOf(phase: Phase, { provider, timeouts }: Pick<TimeoutRules, 'provider' | 'timeouts'>): string {
  const key = `providers.${provider}`
  if (phase !== 'connect') return `Raise \`${key}.timeouts.${phase}\`, or use a faster model.`
  const look = `Check that its address (\`${key}.baseURL\`) is reachable from here`
  return timeouts.connect < NODE_CONNECT_TIMEOUT_MS
    ? `${look}, or raise \`${key}.timeouts.connect\`.`
    : `${look}.`
}

/** Node's own connect timeout, in ms. */
const NODE_CONNECT_TIMEOUT_MS = 10_000

/** Error code of `fetch` for a connect timeout. */
const CONNECT_TIMEOUT_CODE = 'UND_ERR_CONNECT_TIMEOUT'
