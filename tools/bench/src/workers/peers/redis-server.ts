import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { createTempFolder } from '../../temp-folder.ts'

/** A Redis server on 127.0.0.1 with its own folder. */
export interface RedisServer {
  readonly url: string
  stop(): Promise<void>
}

/** Starts `redis-server` as BullMQ recommends it; `undefined` if the program is missing. */
export async function startRedis(): Promise<RedisServer | undefined> {
  if (spawnSync('redis-server', ['--version']).error !== undefined) return undefined
  const folder = createTempFolder()
  const port = await freePort()
  const settings = {
    bind: '127.0.0.1',
    port,
    dir: folder.path,
    appendonly: 'yes',
    'maxmemory-policy': 'noeviction',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    let output = ''
    server.stdout.on('data', (data: Buffer) => {
      output = (output + data.toString()).slice(-10_000)
      if (output.includes('Ready to accept connections')) resolve()
    })
    server.once('exit', () => reject(new Error(output)))
  })
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
      folder.remove()
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
