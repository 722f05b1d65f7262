import { ExportResultCode, type ExportResult } from '@opentelemetry/core'

/** Counts the items of one signal that are sent or lost. Reports the first loss, and no further one. */
export class Delivery {
  readonly #item: string
  readonly #target: string
  readonly #onWarning: (message: string) => void
  #pending = 0
  #lost = 0
  #isAvailable = true

  constructor(parts: {
    /** Name of an item in messages, such as `span`. */
    readonly item: string
    /** Address that they are sent to, for messages. */
    readonly target: string
    readonly onWarning: (message: string) => void
  }) {
    this.#item = parts.item
    this.#target = parts.target
    this.#onWarning = parts.onWarning
  }

  /** Number of items that were lost. */
  get lost(): number {
    return this.#lost
  }

  /** False after an export has failed or taken too long, until one succeeds. */
  get isAvailable(): boolean {
    return this.#isAvailable
  }

  /** Call when an export takes too long. */
  reportDelay(): void {
    this.#isAvailable = false
  }

  /** Counts an item to send. Returns false if `limit` items are waiting, so that this one is lost. */
  accept(limit: number): boolean {
    this.#pending += 1
    if (this.#pending <= limit) return true
    this.#lose(1, `${limit} were waiting`)
    return false
  }

  /** Counts the result of sending items. */
  settle(count: number, { code, error }: ExportResult): void {
    this.#isAvailable = code === ExportResultCode.SUCCESS
    if (this.#isAvailable) this.#pending -= count
    else this.#lose(count, reasonOf(error))
  }

  /** Counts all items that are waiting as lost. */
  end(reason: string): void {
    if (this.#pending > 0) this.#lose(this.#pending, reason)
  }

  #lose(count: number, reason: string): void {
    const isFirst = this.#lost === 0
    this.#lost += count
    this.#pending -= count
    if (!isFirst) return
    const are = count === 1 ? `${this.#item} was` : `${this.#item}s were`
    this.#onWarning(`${count} ${are} not sent to ${this.#target}: ${reason}.`)
  }
}

function reasonOf(error: Error | undefined): string {
  const { message = '', code } = (error ?? {}) as { readonly message?: string; readonly code?: unknown }
  if (typeof code === 'number') return `HTTP ${code} ${message}`.trim()
  if (message !== '') return message
  return typeof code === 'string' ? code : 'unknown error'
}

/** An exporter of any signal. */
interface Exporter {
  export(items: never, onResult: (result: ExportResult) => void): void
}

type ItemsOf<Watched extends Exporter> = Parameters<Watched['export']>[0]

/** Returns the exporter, and calls `settle` with the result of each export. */
export function watchExporter<Watched extends Exporter>(
  exporter: Watched,
  settle: (items: ItemsOf<Watched>, result: ExportResult) => void,
): Watched {
  const watched = (items: ItemsOf<Watched>, onResult: (result: ExportResult) => void): void =>
    exporter.export(items, (result) => {
      settle(items, result)
      onResult(result)
    })
  return new Proxy(exporter, {
    get(target, key) {
      if (key === 'export') return watched
      const value: unknown = Reflect.get(target, key, target)
      // exporters may have private members, which a proxy does not have
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
