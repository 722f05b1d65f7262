import type { StoredWebPush, WebPushKeys, WebPushStorage, WebPushSubscription } from './web-push-store.ts'

/** Maximum number of browsers of one principal. The oldest one is dropped first. */
const MAX_PER_PRINCIPAL = 10
/** Maximum number of browsers of all principals. */
const MAX_SUBSCRIPTIONS = 1000

/** The subscriptions of a server. */
export interface WebPushSubscriptions {
  /** Returns the key pair, which is created once. Rejects if it cannot be stored. */
  keys(): Promise<WebPushKeys>
  list(): Promise<readonly WebPushSubscription[]>
  /** Adds a subscription, and replaces one with the same endpoint. Returns false if the server has too many. */
  add(subscription: WebPushSubscription): Promise<boolean>
  /** Removes a subscription of a principal. */
  remove(subscription: Pick<WebPushSubscription, 'principal' | 'endpoint'>): Promise<void>
}

/** Creates the subscriptions over a storage. `given` are keys of the configuration, which are not stored. */
export function createWebPushSubscriptions(
  storage: WebPushStorage,
  given: WebPushKeys | undefined,
): WebPushSubscriptions {
  let loading: Promise<StoredWebPush> | undefined
  let last: Promise<unknown> = Promise.resolve()
  const load = (): Promise<StoredWebPush> =>
    (loading ??= storage.load().then((stored) => stored ?? { subscriptions: [] }))

  /** Changes the state, one change after the other. Keeps the state before if it cannot be stored. */
  function change(
    update: (stored: StoredWebPush) => StoredWebPush | Promise<StoredWebPush>,
  ): Promise<StoredWebPush> {
    const next = last.then(async () => {
      const before = await load()
      const after = await update(before)
      if (after !== before) await storage.save(after)
      loading = Promise.resolve(after)
      return after
    })
    last = next.catch(() => undefined)
    return next
  }

  return {
    async keys() {
      if (given !== undefined) return given
      const { keys } = await change(async (stored) => {
        if (stored.keys !== undefined) return stored
        const { default: webPush } = await import('web-push')
        return { ...stored, keys: webPush.generateVAPIDKeys() }
      })
      if (keys === undefined) throw new TypeError('The keys were not created.')
      return keys
    },
    list: async () => (await load()).subscriptions,
    async add(subscription) {
      const { principal, endpoint } = subscription
      const { subscriptions } = await change((stored) => {
        const others = stored.subscriptions.filter((known) => known.endpoint !== endpoint)
        const own = others.filter((known) => known.principal === principal)
        const dropped = new Set(own.slice(0, Math.max(0, own.length - MAX_PER_PRINCIPAL + 1)))
        const kept = others.filter((known) => !dropped.has(known))
        if (kept.length >= MAX_SUBSCRIPTIONS) return stored
        return { ...stored, subscriptions: [...kept, subscription] }
      })
      return subscriptions.includes(subscription)
    },
    async remove({ principal, endpoint }) {
      await change((stored) => {
        const kept = stored.subscriptions.filter(
          (known) => known.endpoint !== endpoint || known.principal !== principal,
        )
        return kept.length === stored.subscriptions.length ? stored : { ...stored, subscriptions: kept }
      })
    },
  }
}
