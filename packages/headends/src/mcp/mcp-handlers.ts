import { createMetaMcpHandler, type MetaMcp, type MetaMcpHandler } from '@troupe/meta-mcp'
import type { Failure } from '@troupe/schema'
import { isFailure } from '../headend/errors.ts'
import type { HeadendContext } from '../headend/headend.ts'

/** MCP handlers, one per principal and set of tools, because each has its own client sessions. */
export interface McpHandlers {
  /** Returns the handler of a key and creates it if needed. Returns a failure if it cannot be created. */
  getOrCreate(key: string, make: () => Pick<MetaMcp, 'createServer'> | Failure): MetaMcpHandler | Failure
  close(): Promise<void>
}

/** Maximum number of open handlers. The least recently used one is closed first. */
const MOST_HANDLERS = 256

/**
 * Beginning of the SDK's message for an invalid client request. It is not an error of the server and is not
 * logged.
 */
const REFUSAL = 'Rejected inbound request'

/** Creates an empty set of handlers. */
export function createMcpHandlers({
  newId,
  onError,
}: Pick<HeadendContext, 'newId' | 'onError'>): McpHandlers {
  // In the order of their last use.
  const open = new Map<string, MetaMcpHandler>()
  const reportError = (thrown: unknown): void => onError?.(thrown)
  const reportServerError = (thrown: Error): void => {
    if (!thrown.message.startsWith(REFUSAL)) reportError(thrown)
  }
  const touch = (key: string, handler: MetaMcpHandler): MetaMcpHandler => {
    open.delete(key)
    open.set(key, handler)
    const [oldest] = open
    if (open.size > MOST_HANDLERS && oldest !== undefined) {
      open.delete(oldest[0])
      oldest[1].close().catch(reportError)
    }
    return handler
  }
  return {
    getOrCreate(key, make) {
      const known = open.get(key)
      if (known !== undefined) return touch(key, known)
      const servers = make()
      if (isFailure(servers)) return servers
      const newSessionId = (): string => newId('mcp')
      return touch(
        key,
        createMetaMcpHandler(servers, { newSessionId, allowedHosts: 'any', onError: reportServerError }),
      )
    },
    async close() {
      const all = [...open.values()]
      open.clear()
      await Promise.all(all.map((handler) => handler.close()))
    },
  }
}
