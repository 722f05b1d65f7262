import type { AgentDefinition, MaybePromise } from '@troupe/schema'
import type { PreparedAgent, RunRequest } from '@troupe/schema/ports'
import type { PrepareOptions, Warn } from './in-process-executor.ts'

/** A run that needs a prepared agent. */
export interface AcquireRequest extends PrepareOptions {
  readonly definition: AgentDefinition
  readonly request: RunRequest
  /** Id of the team snapshot that the run belongs to. */
  readonly snapshotId: string
  /**
   * Returns a key of everything that determines the prepared agent: snapshot, definition, variables and
   * principal. Computed on demand.
   */
  key(): string
  /** Prepares a new agent. */
  create(options: PrepareOptions): MaybePromise<PreparedAgent>
}

/** Provides the prepared agents of runs. It does not affect how a model sees an agent as a tool. */
export interface SessionProvider {
  /**
   * Returns the prepared agent of one run, to be returned with its `release`. Throws the error of the
   * preparation, or the reason of the abort.
   */
  acquire(request: AcquireRequest): MaybePromise<PreparedAgent>
  /**
   * Releases everything held for a team snapshot, once its runs have ended. Without it, everything is held
   * until `close`.
   */
  retire?(snapshotId: string): Promise<void>
  /** Releases everything that is not in use. A prepared agent in use is released by its run. */
  close(): Promise<void>
}

/** Prepares a new agent for every run. */
export const freshSessionProvider: SessionProvider = Object.freeze({
  acquire: ({ create, stop, warn }: AcquireRequest) => create({ stop, warn }),
  close: () => Promise.resolve(),
})

interface KeyedPool {
  readonly pool: SessionPool
  readonly snapshotId: string
}

/**
 * Creates a session provider that uses a pool for cards with `acquire: {pool: N}`: at most N prepared agents per
 * key, kept warm between runs. A run with an ancestor that holds a pooled agent gets a new one instead, which
 * prevents deadlocks.
 */
export function createPooledSessionProvider(): SessionProvider {
  const pools = new Map<string, KeyedPool>()
  const holders = new Set<string>()

  async function fromPool(acquire: AcquireRequest, size: number): Promise<PreparedAgent> {
    const key = acquire.key()
    const known = pools.get(key)
    const pool = known?.pool ?? createSessionPool(size)
    if (known === undefined) pools.set(key, { pool, snapshotId: acquire.snapshotId })
    const { prepared, release: releaseSession } = await pool.take(acquire)
    const { runId } = acquire.request
    holders.add(runId)
    const release = (): void | Promise<void> => {
      holders.delete(runId)
      return releaseSession()
    }
    return { ...prepared, release }
  }

  return {
    acquire: (acquire) => {
      const { definition, request } = acquire
      const kind = definition.acquire
      const isBelowHolder = request.ancestry.some(({ runId }) => holders.has(runId))
      if (kind.kind === 'fresh' || isBelowHolder) return freshSessionProvider.acquire(acquire)
      return fromPool(acquire, kind.size)
    },
    retire: async (snapshotId) => {
      const past = [...pools].filter(([, each]) => each.snapshotId === snapshotId)
      for (const [key] of past) pools.delete(key)
      await Promise.all(past.map(([, { pool }]) => pool.close()))
    },
    close: async () => {
      await Promise.all([...pools.values()].map(({ pool }) => pool.close()))
    },
  }
}

type SessionRequest = Pick<AcquireRequest, 'create' | 'stop' | 'warn'>

/** A prepared agent in use by one run. */
interface AcquiredSession {
  readonly prepared: PreparedAgent
  release(): void | Promise<void>
}

/** At most N prepared agents for the same key. Further requests wait in order. */
interface SessionPool {
  take(request: SessionRequest): Promise<AcquiredSession>
  close(): Promise<void>
}

/** A pooled agent. Its warnings go to the run that uses it and are dropped between runs. */
interface PooledSession {
  readonly prepared: PreparedAgent
  readonly warningTarget: { warn: Warn | undefined }
}

/** Called with an idle session, or with `undefined` if there is capacity to create one. */
type SessionWaiter = (session: PooledSession | undefined) => void

/** Creates an empty pool. Sessions are created on demand. */
function createSessionPool(size: number): SessionPool {
  const idle: PooledSession[] = []
  const waiting = new Set<SessionWaiter>()
  let freeSlots = size
  let isClosed = false

  function handToNext(session: PooledSession | undefined): void {
    const [next] = waiting
    if (next !== undefined) {
      waiting.delete(next)
      next(session)
    } else if (session === undefined) freeSlots += 1
    else idle.push(session)
  }

  function waitForSlot(signal: AbortSignal): PooledSession | undefined | Promise<PooledSession | undefined> {
    const session = idle.pop()
    if (session !== undefined) return session
    if (freeSlots > 0) {
      freeSlots -= 1
      return undefined
    }
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        waiting.delete(take)
        reject(signal.reason)
      }
      const take: SessionWaiter = (given) => {
        signal.removeEventListener('abort', abort)
        resolve(given)
      }
      waiting.add(take)
      signal.addEventListener('abort', abort, { once: true })
    })
  }

  async function make({ create, stop, warn }: SessionRequest): Promise<PooledSession> {
    const warningTarget: PooledSession['warningTarget'] = { warn }
    try {
      const prepared = await create({ stop, warn: (warning) => warningTarget.warn?.(warning) })
      return { prepared, warningTarget }
    } catch (thrown) {
      handToNext(undefined)
      throw thrown
    }
  }

  return {
    take: async (request) => {
      const { signal } = request.stop
      signal.throwIfAborted()
      const session = (await waitForSlot(signal)) ?? (await make(request))
      session.warningTarget.warn = request.warn
      return {
        prepared: session.prepared,
        release: () => {
          session.warningTarget.warn = undefined
          if (isClosed) return session.prepared.release()
          if (session.prepared.isDegraded !== true) return handToNext(session)
          handToNext(undefined)
          return session.prepared.release()
        },
      }
    },
    close: async () => {
      isClosed = true
      await Promise.all(idle.splice(0).map(async ({ prepared }) => prepared.release()))
    },
  }
}
