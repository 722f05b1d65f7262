import { z } from 'zod'

/** The key pair with which a server identifies itself to push services (VAPID), in base64url. */
export interface WebPushKeys {
  readonly publicKey: string
  readonly privateKey: string
}

/** A browser that receives notifications of one principal. */
export interface WebPushSubscription {
  readonly principal: string
  /** URL of the push service. It was sent by a client, so it is not trusted. */
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
  /** True if the person is also notified when a run ends. */
  readonly runs: boolean
}

/** The keys and subscriptions of a server. They contain secrets. */
export interface StoredWebPush {
  readonly keys?: WebPushKeys | undefined
  readonly subscriptions: readonly WebPushSubscription[]
}

/** Keeps keys and subscriptions over restarts. */
export interface WebPushStorage {
  /** Returns `undefined` if nothing is stored. */
  load(): Promise<StoredWebPush | undefined>
  save(stored: StoredWebPush): Promise<void>
}

const key = z.string().regex(/^[\w-]{16,120}={0,2}$/u, 'must be base64url')

/** Schema of the endpoint of a subscription. */
export const endpointShape: z.ZodURL = z.url({ protocol: /^https$/u }).max(2000)

/** Schema of the keys of a subscription: a P-256 point and 16 bytes. */
export const subscriptionKeysShape: z.ZodType<WebPushSubscription['keys']> = z.strictObject({
  p256dh: key,
  auth: key,
})

/** Schema of stored keys and subscriptions. */
export const storedWebPush: z.ZodType<StoredWebPush> = z.object({
  keys: z.object({ publicKey: key, privateKey: key }).optional(),
  subscriptions: z.array(
    z.object({
      principal: z.string(),
      endpoint: endpointShape,
      keys: subscriptionKeysShape,
      runs: z.boolean(),
    }),
  ),
})
