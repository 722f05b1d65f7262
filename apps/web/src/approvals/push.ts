import { client } from '../api/client.ts'

/** Notifications of this browser: not possible, off, or on. */
export type BrowserPush =
  | { readonly state: 'unavailable' }
  | { readonly state: 'off'; readonly publicKey: string }
  | { readonly state: 'on'; readonly publicKey: string }

/** Returns the state of the notifications that arrive while the page is closed. Never rejects. */
export async function readPushState(): Promise<BrowserPush> {
  try {
    // Browsers define `PushManager` on insecure pages too, but no service worker.
    if (!('serviceWorker' in navigator) || !('PushManager' in globalThis)) return { state: 'unavailable' }
    const { publicKey } = await client.push.read()
    if (publicKey === undefined) return { state: 'unavailable' }
    const subscription = await findSubscription()
    return { state: subscription === undefined ? 'off' : 'on', publicKey }
  } catch {
    // The server is lost, or the browser refuses service workers.
    return { state: 'unavailable' }
  }
}

/** Subscribes this browser, and optionally to the ends of runs. The person must have allowed notifications. */
export async function subscribeToPush(publicKey: string, runs: boolean): Promise<void> {
  await navigator.serviceWorker.register('sw.js')
  const { pushManager } = await navigator.serviceWorker.ready
  const known = await pushManager.getSubscription()
  // A subscription with another key of the server cannot be changed.
  if (known !== null && keyOf(known) !== publicKey) await known.unsubscribe()
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  const { endpoint, keys } = (await pushManager.subscribe(options)).toJSON()
  const { p256dh, auth } = keys ?? {}
  if (endpoint === undefined || p256dh === undefined || auth === undefined)
    throw new TypeError('The browser has created no subscription.')
  await client.push.subscribe({ endpoint, keys: { p256dh, auth }, runs })
}

/** Ends the notifications of this browser. */
export async function unsubscribeFromPush(): Promise<void> {
  const subscription = await findSubscription()
  if (subscription === undefined) return
  await client.push.unsubscribe({ endpoint: subscription.endpoint })
  await subscription.unsubscribe()
}

async function findSubscription(): Promise<PushSubscription | undefined> {
  const registration = await navigator.serviceWorker.getRegistration()
  return (await registration?.pushManager.getSubscription()) ?? undefined
}

function keyOf({ options: { applicationServerKey } }: PushSubscription): string {
  if (applicationServerKey === null) return ''
  const text = String.fromCodePoint(...new Uint8Array(applicationServerKey))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
