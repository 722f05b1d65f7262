import { Client } from 'pg'
import { troupeError, type Clock } from '@troupe/schema'
import { storeError } from './store-failure.ts'
import { waitAtMost } from './wait-at-most.ts'

/** Notifications of one server, over a connection of its own. */
export interface Notifications {
  /**
   * Adds a listener of a channel, and connects if necessary. `isReady` resolves when notifications arrive,
   * and rejects if the first attempt fails, while further ones are made. Returns a function that removes the
   * listener.
   */
  add(
    channel: string,
    listener: ChannelListener,
  ): { readonly isReady: Promise<void>; remove(): Promise<void> }
  /**
   * Resolves when the listeners have received all notifications that were sent before the call, or if that takes
   * too long.
   */
  settle(): Promise<void>
  close(): Promise<void>
}

/** The listener of a channel. */
export interface ChannelListener {
  onNotification(payload: string): void
  /** Called when the connection was lost and made again, because notifications may be lost. */
  onReconnect?: (() => void) | undefined
}

/** Delay in ms before a lost connection is made again, doubled with each failure. */
const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5000
const CONNECT_MS = 10_000
/** Longest time in ms to wait for notifications that were sent before. */
const SETTLE_MS = 100
/** Longest name of a channel in bytes. */
const LONGEST_CHANNEL = 63

/** Creates notifications without a connection. */
export function createNotifications({
  url,
  name,
  clock,
}: {
  readonly url: string
  /** Name of the store, for messages. */
  readonly name: string
  readonly clock: Clock
}): Notifications {
  const channels = new Map<string, Set<ChannelListener>>()
  let connecting: Promise<Client> | undefined
  let client: Client | undefined
  let cancelRetry: (() => void) | undefined
  let lastStatement: Promise<unknown> = Promise.resolve()
  let settling: Promise<unknown> | undefined
  let failures = 0
  let wasConnected = false
  let isClosed = false

  async function connect(): Promise<Client> {
    const made = new Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      application_name: 'troupe notifications',
    })
    made.on('error', ignore)
    made.on('notification', ({ channel, payload = '' }) => {
      for (const listener of channels.get(channel) ?? []) listener.onNotification(payload)
    })
    try {
      await made.connect()
      for (const channel of channels.keys()) await made.query(`LISTEN ${quote(channel)}`)
    } catch (thrown) {
      await made.end()
      throw storeError(thrown, name)
    }
    made.once('end', () => {
      client = undefined
      connecting = undefined
      reconnectLater()
    })
    return made
  }

  function ensureConnected(): Promise<Client> {
    connecting ??= connect().then(
      (made) => {
        client = made
        failures = 0
        if (wasConnected) for (const listener of allListeners()) listener.onReconnect?.()
        wasConnected = true
        return made
      },
      (thrown: unknown) => {
        connecting = undefined
        failures += 1
        reconnectLater()
        throw thrown
      },
    )
    return connecting
  }

  function reconnectLater(): void {
    if (isClosed || channels.size === 0) return
    cancelRetry?.()
    cancelRetry = clock.after(Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures), () => {
      ensureConnected().catch(ignore)
    })
  }

  function allListeners(): readonly ChannelListener[] {
    return [...channels.values()].flatMap((listeners) => [...listeners])
  }

  async function startListening(channel: string): Promise<void> {
    const made = await ensureConnected()
    try {
      // again, because the channel may be newer than the connection
      await execute(made, `LISTEN ${quote(channel)}`)
    } catch (thrown) {
      throw storeError(thrown, name)
    }
  }

  /** Executes a statement after those before it, because a connection executes only one at a time. */
  function execute(made: Client, statement: string): Promise<unknown> {
    const result = lastStatement.then(() => made.query(statement))
    lastStatement = result.catch(ignore)
    return result
  }

  return {
    add(channel, listener) {
      if (isClosed) throw troupeError('usage_invalid', 'The store is closed.', { fix: 'Open a new one.' })
      if (channel === '' || Buffer.byteLength(channel) > LONGEST_CHANNEL || channel.includes('\u0000'))
        throw troupeError('usage_invalid', `The name of a channel has 1 to ${LONGEST_CHANNEL} bytes.`)
      const listeners = channels.get(channel) ?? new Set()
      channels.set(channel, listeners)
      listeners.add(listener)
      return {
        isReady: startListening(channel),
        async remove() {
          listeners.delete(listener)
          if (listeners.size > 0 || channels.get(channel) !== listeners) return
          channels.delete(channel)
          // a connection that is lost meanwhile does not listen any more
          if (client !== undefined) await execute(client, `UNLISTEN ${quote(channel)}`).catch(ignore)
        },
      }
    },
    async settle() {
      // The server sends notifications before it is ready for the next query.
      settling ??= lastStatement.then(() => {
        settling = undefined
        return client && execute(client, 'SELECT').catch(ignore)
      })
      await waitAtMost(SETTLE_MS, settling, clock)
    },
    async close() {
      isClosed = true
      cancelRetry?.()
      channels.clear()
      const made = await connecting?.catch(ignore)
      await made?.end()
    },
  }
}

function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

function ignore(): void {}
