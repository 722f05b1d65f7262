import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { ClientOrder, ClientReport } from './sse-clients.ts'

/** A process of clients. */
export interface SseClients {
  /** Resolves when all requests have been answered. */
  send(order: ClientOrder): Promise<ClientReport>
  /** Resolves when the process has ended. */
  close(): Promise<void>
}

/** Starts the clients of `sse-clients.ts`. */
export function startSseClients(): SseClients {
  const child = fork(new URL('./sse-clients.ts', import.meta.url))
  const ended = once(child, 'exit')
  return {
    async send(order) {
      const answered = once(child, 'message')
      child.send(order)
      const [report] = await Promise.race([answered, ended.then(() => [])])
      if (report === undefined) throw new Error('The clients ended before they had their answers.')
      return report as ClientReport
    },
    async close() {
      child.disconnect()
      await ended
    },
  }
}
