import type { RunEvent, RunListener } from '../events/event.ts'

interface Subscription {
  readonly listener: RunListener
  readonly deltas: boolean
  readonly next: number
}

/**
 * Listeners of one run tree, called synchronously. A listener added during an emit does not receive that
 * event; one removed during it may. A class because there is one per run tree: an object literal with getters
 * would be retained until the next full garbage collection.
 */
export class RunListeners {
  #subscriptions: readonly Subscription[] = []
  #hasDeltaListeners = false

  /** True if there are listeners. */
  get hasListeners(): boolean {
    return this.#subscriptions.length > 0
  }

  /** True if a listener wants transient events. */
  get hasDeltaListeners(): boolean {
    return this.#hasDeltaListeners
  }

  /**
   * Adds a listener and returns a function that removes it. `next` is the first durable `seq` that the
   * listener receives.
   */
  add(
    listener: RunListener,
    { deltas, next }: { readonly deltas: boolean; readonly next: number },
  ): () => void {
    const subscription = { listener, deltas, next }
    this.#replace([...this.#subscriptions, subscription])
    return () => this.#replace(this.#subscriptions.filter((one) => one !== subscription))
  }

  emit(event: RunEvent): void {
    for (const one of this.#subscriptions) if (wants(one, event)) notifyListener(one.listener, event)
  }

  clear(): void {
    this.#replace([])
  }

  #replace(changed: readonly Subscription[]): void {
    this.#subscriptions = changed
    this.#hasDeltaListeners = changed.some((one) => one.deltas)
  }
}

/** Calls a listener. Errors are dropped. */
export function notifyListener(listener: RunListener, event: RunEvent): void {
  try {
    listener(event)
  } catch {
    // a broken listener must neither end the run nor affect other listeners
  }
}

function wants(subscription: Subscription, event: RunEvent): boolean {
  if (event.seq !== undefined) return event.seq >= subscription.next
  return subscription.deltas && (event.after ?? 0) >= subscription.next - 1
}
