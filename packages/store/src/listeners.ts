import type { RunEvent, RunListener } from '@troupe/schema'

/** Those who listen to one root. */
export interface Listeners {
  /** Somebody listens. */
  readonly heard: boolean
  /** Somebody wants transient events too. */
  readonly watched: boolean
  /** `next` is the first durable `seq` that this listener gets: what it was given before stays out. */
  add(listener: RunListener, options: { readonly deltas: boolean; readonly next: number }): () => void
  tell(event: RunEvent): void
  clear(): void
}

interface Subscription {
  readonly listener: RunListener
  readonly deltas: boolean
  readonly next: number
}

/** A synchronous fan-out. Who subscribes while an event is told does not get it through here; who leaves meanwhile may. */
export function createListeners(): Listeners {
  let subscriptions: readonly Subscription[] = []
  let watched = false

  function replace(changed: readonly Subscription[]): void {
    subscriptions = changed
    watched = changed.some((one) => one.deltas)
  }

  return {
    get heard() {
      return subscriptions.length > 0
    },
    get watched() {
      return watched
    },
    add(listener, { deltas, next }) {
      const subscription = { listener, deltas, next }
      replace([...subscriptions, subscription])
      return () => replace(subscriptions.filter((one) => one !== subscription))
    },
    tell(event) {
      for (const one of subscriptions) if (wants(one, event)) tellOne(one.listener, event)
    },
    clear: () => replace([]),
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
