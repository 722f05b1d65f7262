import type { TaskPushNotificationConfig } from '@a2a-js/sdk'
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server'
import { RequestMalformedError } from '@a2a-js/sdk/errors'
import { V1PushNotificationSerializer } from '@a2a-js/sdk/server'
import type { SafeFetch } from '@troupe/fetch'
import { ERRORS, toFailure, troupeError, type ErrorCode } from '@troupe/schema'
import pLimit from 'p-limit'
import type { HeadendContext } from '../headend/headend.ts'
import { isLegacy } from './a2a-error.ts'
import { readPushConfig, rulesFor, withoutSecrets, type PushConfig } from './push-config.ts'
import type { PushSigner } from './push-signer.ts'
import type { A2ATask, TaskUpdate } from './task-store.ts'

/** Sends push notifications about tasks to the URLs that their clients configured. */
export interface PushNotifier {
  /** Checks a configuration. Throws an error of the SDK if it is not valid. */
  check(config: TaskPushNotificationConfig): PushConfig
  /**
   * Sends notifications about the task from now on, and lets the task continue without a connection. Replaces a
   * configuration with the same id.
   */
  set(task: A2ATask, config: PushConfig, origin: NotificationOrigin): TaskPushNotificationConfig
  /** Returns a configuration without its secrets, the first one if the id is empty. */
  get(task: A2ATask, id: string): TaskPushNotificationConfig | undefined
  list(task: A2ATask): TaskPushNotificationConfig[]
  delete(task: A2ATask, id: string): void
  /** Makes a last attempt to send what is waiting, for up to two seconds. */
  close(): Promise<void>
}

/** The address and the protocol version that a configuration was sent to. */
interface NotificationOrigin {
  /** URL of the agent. */
  readonly url: string
  readonly version: string
}

/** Dependencies of the notifier. */
interface NotifierContext extends Pick<HeadendContext, 'clock' | 'newId' | 'onError'> {
  readonly fetch: SafeFetch
  readonly signer: PushSigner
  /** Hosts that may be in a private network. */
  readonly hosts: readonly string[]
}

/** Header of the signature. */
const SIGNATURE = 'troupe-signature'
/** Header of the token of a configuration. */
const TOKEN = 'x-a2a-notification-token'

const MAX_CONFIGS = 10
/** Maximum number of notifications that wait for one URL. The oldest one is dropped first. */
const MAX_WAITING = 50
/** Maximum number of requests at the same time. */
const MAX_REQUESTS = 16
const TIMEOUT_MS = 10_000
/** Waits before the attempts after the first one, in ms. */
const RETRIES_MS = [1000, 5000, 25_000] as const
const RETRIED: ReadonlySet<string> = new Set(['url_failed', 'url_timeout'])
/** Maximum time for last attempts when the server closes, in ms. */
const CLOSE_MS = 2000

/** A configuration whose URL receives notifications. */
interface PushTarget {
  readonly config: PushConfig
  stop(): void
}

/** Creates a notifier without configurations. */
export function createPushNotifier(context: NotifierContext): PushNotifier {
  const { clock, hosts, newId } = context
  const targets = new WeakMap<A2ATask, Map<string, PushTarget>>()
  const limit = pLimit(MAX_REQUESTS)
  const closing = new AbortController()
  const aborted = new AbortController()
  const active = new Set<Promise<void>>()
  const send = (notification: Notification): Promise<void> =>
    sendNotification(notification, { ...context, limit, closing: closing.signal, signal: aborted.signal })

  return {
    check: (config) => readPushConfig(config, { hosts, newId: () => newId('push') }),
    set(task, config, origin) {
      const configs = targets.get(task) ?? new Map<string, PushTarget>()
      targets.set(task, configs)
      if (!configs.has(config.id) && configs.size >= MAX_CONFIGS)
        throw new RequestMalformedError(
          `A task can have ${MAX_CONFIGS} push notification configurations. Delete one.`,
        )
      task.detach()
      configs.get(config.id)?.stop()
      const target = subscribe(task, { ...context, config, origin, send, active })
      configs.set(config.id, target)
      return withoutSecrets(config, task.id)
    },
    get(task, id) {
      const configs = targets.get(task)
      const found = id === '' ? configs?.values().next().value : configs?.get(id)
      return found === undefined ? undefined : withoutSecrets(found.config, task.id)
    },
    list: (task) =>
      [...(targets.get(task)?.values() ?? [])].map(({ config }) => withoutSecrets(config, task.id)),
    delete(task, id) {
      targets.get(task)?.get(id)?.stop()
      targets.get(task)?.delete(id)
    },
    async close() {
      closing.abort()
      const cancel = clock.after(CLOSE_MS, () =>
        aborted.abort(troupeError('run_cancelled', 'The server closed.')),
      )
      await Promise.all(active)
      cancel()
    },
  }
}

/** A notification to one URL. */
interface Notification {
  readonly id: string
  readonly update: TaskUpdate
  readonly config: PushConfig
  readonly origin: NotificationOrigin
  /** Called when it cannot be sent. */
  report(code: ErrorCode): void
}

/** Sends every change of the task's state to one URL, one after the other. */
function subscribe(
  task: A2ATask,
  {
    config,
    origin,
    newId,
    send,
    active,
    onError,
  }: Pick<Notification, 'config' | 'origin'> &
    Pick<NotifierContext, 'newId' | 'onError'> & {
      readonly active: Set<Promise<void>>
      send(notification: Notification): Promise<void>
    },
): PushTarget {
  const waiting: Notification[] = []
  let sending: Promise<void> | undefined
  let isReported = false

  /** Reports the first failure, without the URL and the error, which may contain secrets of the client. */
  function report(code: ErrorCode): void {
    if (isReported) return
    isReported = true
    const { origin: receiver } = new URL(config.url)
    const message = `Push notifications about the task ${task.id} cannot be sent to ${receiver}: ${ERRORS[code].title}.`
    onError?.(troupeError(code, message))
  }

  async function sendAll(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await send(next)
    sending = undefined
  }

  const unfollow = task.follow((change) => {
    const update = toNotified(change, task)
    if (update === undefined) return
    if (waiting.length === MAX_WAITING) waiting.shift()
    waiting.push({ id: newId('notification'), update, config, origin, report })
    if (sending !== undefined) return
    const work = sendAll()
    sending = work
    active.add(work)
    void work.finally(() => active.delete(work))
  })
  return {
    config,
    stop() {
      unfollow()
      waiting.length = 0
    },
  }
}

/**
 * Returns the update to send: each new state, and the whole task when it has ended. Pieces of the answer are left
 * out, because the task has all of it.
 */
function toNotified(update: TaskUpdate, task: A2ATask): TaskUpdate | undefined {
  if (update.$case !== 'statusUpdate') return undefined
  if (!task.isOver()) return update
  return { $case: 'task', value: { ...task.view(), history: [] } }
}

/** Sends a notification, and repeats it if the receiver fails. Never rejects. */
async function sendNotification(
  notification: Notification,
  context: NotifierContext & {
    readonly limit: ReturnType<typeof pLimit>
    /** Aborts when there is no time to repeat. */
    readonly closing: AbortSignal
    /** Aborts requests. */
    readonly signal: AbortSignal
  },
): Promise<void> {
  const { limit, closing, signal, clock } = context
  for (const waitMs of [...RETRIES_MS, undefined]) {
    try {
      return await limit(() => postNotification(notification, { ...context, signal }))
    } catch (thrown) {
      const { code } = toFailure(thrown)
      if (signal.aborted) return
      if (waitMs === undefined || closing.aborted || !RETRIED.has(code)) return notification.report(code)
      await pause(waitMs, { clock, signal: closing })
    }
  }
}

/** Sends a notification once. Throws the failure of the request. */
async function postNotification(
  { id, update, config, origin }: Notification,
  { fetch, signer, hosts, signal }: NotifierContext & { readonly signal: AbortSignal },
): Promise<void> {
  const { url, token, authentication } = config
  const serializer = isLegacy(origin.version)
    ? new V03PushNotificationSerializer()
    : new V1PushNotificationSerializer()
  const { body, contentType } = serializer.serialize({ payload: update })
  const signature = await signer.sign(body, { issuer: origin.url, audience: new URL(url).origin, id })
  await fetch(url, {
    ...rulesFor(url, hosts),
    body,
    headers: {
      'content-type': contentType,
      [SIGNATURE]: signature,
      ...(token === '' ? {} : { [TOKEN]: token }),
      ...(authentication === undefined
        ? {}
        : { authorization: `${authentication.scheme} ${authentication.credentials}`.trimEnd() }),
    },
    anySuccess: true,
    timeout: TIMEOUT_MS,
    signal,
  })
}

/** Waits, or returns early when the signal aborts. */
function pause(
  ms: number,
  { clock, signal }: Pick<NotifierContext, 'clock'> & { readonly signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal.addEventListener('abort', done, { once: true })
  })
}
