import { checkUrl, isPublicAddress, type SafeFetch } from '@troupe/fetch'
import { toFailure, troupeError } from '@troupe/schema'
import { isIP } from 'node:net'
import pLimit from 'p-limit'
import { z } from 'zod'
import type { Handler, Headend, HeadendContext } from '../headend/headend.ts'
import { requireJson } from '../request/read-json.ts'
import { jsonAnswer, routes, withErrorResponse } from '../routes/routes.ts'
import type { RunService } from '../run-service/run-service.ts'
import { startNotifications } from './notify.ts'
import { sendWebPush } from './send-web-push.ts'
import { createWebPushSubscriptions } from './subscriptions.ts'
import {
  endpointShape,
  subscriptionKeysShape,
  type WebPushKeys,
  type WebPushStorage,
  type WebPushSubscription,
} from './web-push-store.ts'

/** Options of notifications to browsers. */
export interface WebPushOptions {
  readonly storage: WebPushStorage
  /** Keys of the configuration. Default: keys that are created once and stored. */
  readonly keys?: WebPushKeys | undefined
  /** Sends requests to push services, whose addresses clients choose. */
  readonly fetch: SafeFetch
}

const subscriptionBody: z.ZodType<
  Omit<WebPushSubscription, 'principal' | 'runs'> & { readonly runs?: boolean | undefined }
> = z
  .strictObject({
    endpoint: endpointShape,
    keys: subscriptionKeysShape,
    runs: z.boolean().optional().meta({ description: 'Also notify when a run ends. Default: false.' }),
  })
  .meta({ id: 'PushSubscriptionBody' })

const endpointBody: z.ZodType<{ readonly endpoint: string }> = z
  .strictObject({ endpoint: endpointShape })
  .meta({ id: 'PushEndpointBody' })

const pushShape = z
  .object({
    publicKey: z
      .string()
      .optional()
      .meta({ description: 'Key for `pushManager.subscribe`. Not set if push is off.' }),
  })
  .meta({ id: 'PushState' })

const doneShape = z.object({ subscribed: z.boolean() }).meta({ id: 'PushSubscriptionState' })

/** Maximum number of requests to push services at the same time. */
const MAX_REQUESTS = 16

/**
 * Creates the headend for notifications to browsers (`/api/push`). Without options, or without a public `https`
 * address, it only says that they are off.
 */
export function createPushHeadend(
  context: HeadendContext,
  { runService, push }: { readonly runService: RunService; readonly push: WebPushOptions | undefined },
): Headend {
  const { publicUrl } = context
  const service =
    push === undefined || publicUrl?.startsWith('https://') !== true
      ? undefined
      : openPush({ ...context, contact: publicUrl, runService, push })
  const read: Handler = async () =>
    Response.json(service === undefined ? {} : { publicKey: (await service.subscriptions.keys()).publicKey })
  const put: Handler = async ({ req, env: { caller } }) => {
    const { endpoint, keys, runs = false } = await requireJson(req.raw, subscriptionBody)
    if (service === undefined) throw pushOff()
    requirePublic(endpoint)
    await service.notifications.prepare(caller.principal)
    if (!(await service.subscriptions.add({ principal: caller.principal, endpoint, keys, runs })))
      throw troupeError('server_busy', 'The server has too many browsers to notify.')
    return Response.json({ subscribed: true })
  }
  const remove: Handler = async ({ req, env: { caller } }) => {
    const { endpoint } = await requireJson(req.raw, endpointBody)
    await service?.subscriptions.remove({ principal: caller.principal, endpoint })
    return Response.json({ subscribed: false })
  }
  return {
    name: 'push',
    ...routes(
      {
        '/api/push': {
          GET: {
            id: 'readPush',
            summary: 'Get the key with which a browser subscribes to notifications',
            answers: { 200: jsonAnswer('The key', pushShape) },
            handler: withErrorResponse(read),
          },
        },
        '/api/push/subscription': {
          PUT: {
            id: 'subscribePush',
            summary: 'Notify a browser when an approval of the caller opens',
            body: subscriptionBody,
            answers: { 200: jsonAnswer('The browser is notified', doneShape) },
            handler: withErrorResponse(put),
          },
        },
        '/api/push/unsubscribe': {
          POST: {
            id: 'unsubscribePush',
            summary: 'Stop notifying a browser',
            body: endpointBody,
            answers: { 200: jsonAnswer('The browser is no longer notified', doneShape) },
            handler: withErrorResponse(remove),
          },
        },
      },
      { tag: 'Notifications', ...context },
    ),
    async close() {
      service?.notifications.close()
    },
  }
}

function openPush({
  clock,
  onError,
  contact,
  runService,
  push,
}: Pick<HeadendContext, 'clock' | 'onError'> & {
  readonly contact: string
  readonly runService: RunService
  readonly push: WebPushOptions
}): {
  readonly subscriptions: ReturnType<typeof createWebPushSubscriptions>
  readonly notifications: ReturnType<typeof startNotifications>
} {
  const subscriptions = createWebPushSubscriptions(push.storage, push.keys)
  const limit = pLimit(MAX_REQUESTS)
  const notifications = startNotifications({
    runService,
    subscriptions,
    clock,
    async send(message, subscription) {
      try {
        const vapid = await subscriptions.keys()
        const { fetch } = push
        if (await limit(() => sendWebPush(message, { subscription, vapid, contact, fetch }))) return
        await subscriptions.remove(subscription)
      } catch (thrown) {
        onError?.(thrown)
      }
    },
    ...(onError === undefined ? {} : { onError }),
  })
  return { subscriptions, notifications }
}

/** Throws `request_invalid` for an endpoint that is certainly not public. Names are resolved when a message is sent. */
function requirePublic(endpoint: string): void {
  let url: URL
  try {
    url = checkUrl(endpoint, {})
  } catch (thrown) {
    throw troupeError('request_invalid', `endpoint: ${toFailure(thrown).message}`)
  }
  const host = url.hostname.replace(/^\[|\]$/gu, '')
  if (isIP(host) !== 0 && !isPublicAddress(host))
    throw troupeError('request_invalid', `endpoint: ${host} is not a public address.`)
}

function pushOff(): Error {
  return troupeError('request_invalid', 'This server sends no notifications to browsers.', {
    fix: 'Set `server.publicUrl` to an https address and store runs in a file.',
  })
}
