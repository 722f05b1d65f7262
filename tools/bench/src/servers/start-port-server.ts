import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A server in a process of its own. */
export interface PortServer {
  readonly port: number
  /** Resolves when its process has ended. */
  close(): Promise<void>
}

/** Starts a program of this folder that sends its port to its parent and ends with it. */
export async function startPortServer(program: string, args: readonly string[] = []): Promise<PortServer> {
  const file = new URL(`./${program}.ts`, import.meta.url)
  const child = fork(file, args, { execArgv: ['--conditions=@troupe/source'] })
  const ended = once(child, 'exit')
  const [port] = await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error(`The server ${program} did not start.`))),
  ])
  return {
    port: Number(port),
    async close() {
      child.disconnect()
      await ended
    },
  }
}
