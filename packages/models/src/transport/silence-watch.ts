import { troupeError, type Clock, type TroupeError } from '@troupe/schema'
import type { TransportTimeouts } from './transport-timeouts.ts'

/** What is waited for: a connection, the beginning of the answer, the next piece of it. */
export type Phase = keyof TransportTimeouts

/** How long a provider may take, and by which clock. */
export interface SilenceRules {
  readonly provider: string
  readonly timeouts: TransportTimeouts
  readonly clock: Pick<Clock, 'after' | 'monotonic'>
}

/** Watches one request: its phases, and whoever wants it to end. One timer, which is not set again for each piece that comes. */
export class SilenceWatch {
  readonly #rules: SilenceRules
  readonly #release: () => void
  #phase: Phase = 'firstByte'
  #since: number
  #cancel: () => void
  #close: ((why: unknown) => void) | undefined
  #over: { readonly why: unknown } | undefined

  constructor(rules: SilenceRules, above: AbortSignal | undefined) {
    this.#rules = rules
    this.#since = rules.clock.monotonic()
    this.#cancel = this.#arm(rules.timeouts.firstByte)
    const leave = (): void => this.abandon(above?.reason)
    above?.addEventListener('abort', leave, { once: true })
    this.#release = () => above?.removeEventListener('abort', leave)
    if (above?.aborted === true) leave()
  }

  /** Why nothing more is wanted; undefined: it still is. */
  get over(): { readonly why: unknown } | undefined {
    return this.#over
  }

  /** From now on this is waited for. */
  enter(phase: Phase): void {
    if (this.#over !== undefined) return
    this.#cancel()
    this.#phase = phase
    this.#since = this.#rules.clock.monotonic()
    this.#cancel = this.#arm(this.#rules.timeouts[phase])
  }

  /** A piece of the answer came. */
  touch(): void {
    if (this.#phase === 'idle') this.#since = this.#rules.clock.monotonic()
    else this.enter('idle')
  }

  /** Nothing more is expected. */
  end(): void {
    this.#cancel()
    this.#release()
  }

  /** Nothing more is wanted: the connection is closed, and the reader told why. */
  abandon(why: unknown): void {
    if (this.#over !== undefined) return
    this.#over = { why }
    this.end()
    this.#close?.(why)
  }

  /** How the connection is closed from now on. */
  closes(close: (why: unknown) => void): void {
    this.#close = close
    if (this.#over !== undefined) close(this.#over.why)
  }

  #arm(ms: number): () => void {
    return this.#rules.clock.after(ms, this.#check)
  }

  readonly #check = (): void => {
    const { clock, timeouts } = this.#rules
    // whole ms: a rest too small to move the clock would come back for ever
    const left = Math.ceil(timeouts[this.#phase] - (clock.monotonic() - this.#since))
    if (left > 0) this.#cancel = this.#arm(left)
    else this.abandon(tooSlow(this.#rules, this.#phase))
  }
}

const SAID: Readonly<Record<Phase, string>> = {
  connect: 'could not be reached',
  firstByte: 'did not begin to answer',
  idle: 'sent nothing more',
}

function tooSlow({ provider, timeouts }: SilenceRules, phase: Phase): TroupeError {
  const message = `${provider} ${SAID[phase]} within ${timeouts[phase]} ms.`
  return troupeError('model_timeout', message, {
    fix: fixOf(phase, { provider, timeouts }),
    // by this the ledger knows that nothing was sent
    ...(phase === 'connect' ? { cause: Object.assign(new TypeError(message), { code: UNCONNECTED }) } : {}),
  })
}

function fixOf(phase: Phase, { provider, timeouts }: Pick<SilenceRules, 'provider' | 'timeouts'>): string {
  const key = `providers.${provider}`
  if (phase !== 'connect') return `Raise \`${key}.timeouts.${phase}\`, or use a faster model.`
  const look = `Look whether its address (\`${key}.baseURL\`) can be reached from here`
  return timeouts.connect < MOST_CONNECT ? `${look}, or raise \`${key}.timeouts.connect\`.` : `${look}.`
}

/** Then Node gives up by itself, in ms. */
const MOST_CONNECT = 10_000

/** As `fetch` calls it. */
const UNCONNECTED = 'UND_ERR_CONNECT_TIMEOUT'
