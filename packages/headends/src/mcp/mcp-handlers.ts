import { createMetaMcpHandler, type MetaMcp, type MetaMcpHandler } from '@troupe/meta-mcp'
import type { Failure } from '@troupe/schema'
import type { HeadendContext } from '../headend.ts'
import { isFailure } from '../is-failure.ts'

/** One handler for each principal and what it sees: sessions of clients belong to it. */
export interface McpHandlers {
  /** The handler of a key, made where there is none; a failure where it cannot be. */
  of(key: string, make: () => Pick<MetaMcp, 'createServer'> | Failure): MetaMcpHandler | Failure
  close(): Promise<void>
}

/** Handlers kept at once; the one unused for the longest makes room. */
const MOST_HANDLERS = 256

/** What the SDK tells of a request that is the client's mistake: the client is told, and nothing is wrong here. */
const REFUSAL = 'Rejected inbound request'

/** No handlers yet. */
export function createMcpHandlers({
  newId,
  onError,
}: Pick<HeadendContext, 'newId' | 'onError'>): McpHandlers {
  // in the order of their last use
  const open = new Map<string, MetaMcpHandler>()
  const tell = (thrown: unknown): void => onError?.(thrown)
  const tellOwn = (thrown: Error): void => {
    if (!thrown.message.startsWith(REFUSAL)) tell(thrown)
  }
  const keep = (key: string, handler: MetaMcpHandler): MetaMcpHandler => {
    open.delete(key)
    open.set(key, handler)
    const [oldest] = open
    if (open.size > MOST_HANDLERS && oldest !== undefined) {
      open.delete(oldest[0])
      oldest[1].close().catch(tell)
    }
    return handler
  }
  return {
    of(key, make) {
      const known = open.get(key)
      if (known !== undefined) return keep(key, known)
      const servers = make()
      if (isFailure(servers)) return servers
      const newSessionId = (): string => newId('mcp')
      return keep(key, createMetaMcpHandler(servers, { newSessionId, allowedHosts: 'any', onError: tellOwn }))
    },
    async close() {
      const all = [...open.values()]
      open.clear()
      await Promise.all(all.map((handler) => handler.close()))
    },
  }
}
