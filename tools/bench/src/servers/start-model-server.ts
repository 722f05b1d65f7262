import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A running model server. */
export interface ModelServer {
  /** With the version path. */
  readonly baseURL: string
  /** Resolves when its process has ended. */
  close(): Promise<void>
}

const MODEL_SERVER = new URL('./model-server.ts', import.meta.url)

/** Starts a program that sends its port to its parent. Default: `model-server.ts`. */
export async function startModelServer(
  program: URL = MODEL_SERVER,
  args: readonly string[] = [],
): Promise<ModelServer> {
  const child = fork(program, args, { execArgv: ['--conditions=@troupe/source'] })
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
