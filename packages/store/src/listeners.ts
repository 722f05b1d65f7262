import type { RunEvent, RunListener } from '@troupe/schema'

interface Subscription {
  readonly listener: RunListener
  readonly deltas: boolean
  readonly next: number
}

/**
 * Those who listen to one root: a synchronous fan-out. Who subscribes while an event is told does not get it through here; who leaves meanwhile may.
 * A class, as every root has one: an object with getters of its own outlives its root until everything is collected.
 */
export class Listeners {
  #subscriptions: readonly Subscription[] = []
  #watched = false

  /** Somebody listens. */
  get heard(): boolean {
    return this.#subscriptions.length > 0
  }

  /** Somebody wants transient events too. */
  get watched(): boolean {
    return this.#watched
  }

  /** `next` is the first durable `seq` that this listener gets: what it was given before stays out. */
  add(
    listener: RunListener,
    { deltas, next }: { readonly deltas: boolean; readonly next: number },
  ): () => void {
    const subscription = { listener, deltas, next }
    this.#replace([...this.#subscriptions, subscription])
    return () => this.#replace(this.#subscriptions.filter((one) => one !== subscription))
  }

  tell(event: RunEvent): void {
    for (const one of this.#subscriptions) if (wants(one, event)) tellOne(one.listener, event)
  }

  clear(): void {
    this.#replace([])
  }

  #replace(changed: readonly Subscription[]): void {
    this.#subscriptions = changed
    this.#watched = changed.some((one) => one.deltas)
  }
}

/** Tells one listener; what it throws is dropped. */
export function tellOne(listener: RunListener, event: RunEvent): void {
  try {
    listener(event)
  } catch {
    // a listener only watches: a broken one must not end the run or keep the others from hearing
  }
}

function wants(subscription: Subscription, event: RunEvent): boolean {
  if (event.seq !== undefined) return event.seq >= subscription.next
  return subscription.deltas && (event.after ?? 0) >= subscription.next - 1
}
