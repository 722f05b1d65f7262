import type { PreparedAgent } from '@troupe/schema'
import type { AcquireRequest } from './acquisition.ts'
import type { Warn } from './run-warning.ts'

type Work = Pick<AcquireRequest, 'create' | 'stop' | 'warn'>

/** A prepared agent in use by one run. */
export interface TakenSession {
  readonly prepared: PreparedAgent
  giveBack(): void | Promise<void>
}

/** At most N prepared agents for the same key. Further requests wait in order. */
export interface SessionPool {
  take(work: Work): Promise<TakenSession>
  close(): Promise<void>
}

/** A pooled agent. Its warnings go to the run that uses it and are dropped between runs. */
interface Session {
  readonly prepared: PreparedAgent
  readonly audience: { warn: Warn | undefined }
}

/** Called with an idle session, or with `undefined` if there is capacity to create one. */
type Turn = (session: Session | undefined) => void

/** Creates an empty pool. Sessions are created on demand. */
export function createSessionPool(size: number): SessionPool {
  const idle: Session[] = []
  const waiting = new Set<Turn>()
  let places = size
  let isClosed = false

  function pass(session: Session | undefined): void {
    const [next] = waiting
    if (next !== undefined) {
      waiting.delete(next)
      next(session)
    } else if (session === undefined) places += 1
    else idle.push(session)
  }

  function turn(signal: AbortSignal): Session | undefined | Promise<Session | undefined> {
    const session = idle.pop()
    if (session !== undefined) return session
    if (places > 0) {
      places -= 1
      return undefined
    }
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        waiting.delete(take)
        reject(signal.reason)
      }
      const take: Turn = (given) => {
        signal.removeEventListener('abort', abort)
        resolve(given)
      }
      waiting.add(take)
      signal.addEventListener('abort', abort, { once: true })
    })
  }

  async function make({ create, stop, warn }: Work): Promise<Session> {
    const audience: Session['audience'] = { warn }
    try {
      const prepared = await create({ stop, warn: (warning) => audience.warn?.(warning) })
      return { prepared, audience }
    } catch (thrown) {
      pass(undefined)
      throw thrown
    }
  }

  return {
    take: async (work) => {
      const { signal } = work.stop
      signal.throwIfAborted()
      const session = (await turn(signal)) ?? (await make(work))
      session.audience.warn = work.warn
      return {
        prepared: session.prepared,
        giveBack: () => {
          session.audience.warn = undefined
          if (isClosed) return session.prepared.release()
          if (session.prepared.isDegraded !== true) return pass(session)
          pass(undefined)
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
