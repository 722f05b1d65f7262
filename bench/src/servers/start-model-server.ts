import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A running model server. */
export interface ModelServer {
  /** With the version path. */
  readonly baseURL: string
  /** Resolves when its process has ended. */
  close(): Promise<void>
}

/** Starts the server of `model-server.ts` on a port of its own. */
export async function startModelServer(): Promise<ModelServer> {
  const child = fork(new URL('./model-server.ts', import.meta.url), {
    execArgv: ['--conditions=@troupe/source'],
  })
  const ended = once(child, 'exit')
  const started = once(child, 'message')
  const [port] = await Promise.race([started, ended.then(() => ['none'])])
  return {
    baseURL: `http://127.0.0.1:${String(port)}/v1`,
    async close() {
      child.disconnect()
      await ended
    },
  }
}
