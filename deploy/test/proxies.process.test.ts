import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { createServer as listen, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

const PROXIES = path.join(import.meta.dirname, '../proxies')
const EVENTS = 3
/** Larger than the limit of both configurations, which is that of the server. */
const TOO_LARGE = 1_048_576 + 1024

/** A server behind the proxy: event streams, WebSocket, and the headers that arrived. */
interface Upstream {
  readonly port: number
  /** Writes the next event, after the client has received the one before it. */
  readonly sendEvent: (end: boolean) => void
  /** How many event streams were closed before their end. */
  readonly aborted: () => number
  readonly bodies: () => number
}

async function startUpstream(): Promise<Upstream> {
  let stream: { write(text: string): unknown; end(): unknown } | undefined
  let bodies = 0
  let aborted = 0
  const server = createServer((request, response) => {
    if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      stream = response
      response.on('close', () => {
        if (!response.writableEnded) aborted += 1
      })
      return
    }
    let bytes = 0
    request.on('data', (chunk: Buffer) => (bytes += chunk.length))
    request.on('end', () => {
      if (bytes > 0) bodies += 1
      response.setHeader('content-type', 'application/json').end(JSON.stringify(request.headers))
    })
    request.on('error', () => response.destroy())
  })
  const sockets = new WebSocketServer({ server, path: '/mcp/ws' })
  sockets.on('connection', (socket) =>
    socket.on('message', (data: Buffer) => socket.send(`echo ${data.toString()}`)),
  )
  await listening(server)
  onTestFinished(() => {
    sockets.close()
    server.closeAllConnections()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    sendEvent: (end) => {
      stream?.write('data: event\n\n')
      if (end) stream?.end()
    },
    aborted: () => aborted,
    bodies: () => bodies,
  }
}

async function listening(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

async function freePort(): Promise<number> {
  const server = listen().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

interface Proxy {
  readonly name: string
  /** True if the program is on this machine. */
  readonly exists: boolean
  /** Writes the configuration for plain HTTP into a folder. Returns the command that serves it. */
  readonly configure: (folder: string, port: number, upstream: number) => readonly string[]
}

const replaceAll = (text: string, changes: Readonly<Record<string, string>>): string => {
  let changed = text
  for (const [from, to] of Object.entries(changes)) {
    if (!changed.includes(from)) throw new TypeError(`the configuration has no "${from}"`)
    changed = changed.replace(from, () => to)
  }
  return changed
}

const CADDY: Proxy = {
  name: 'Caddy',
  exists: spawnSync('caddy', ['version']).error === undefined,
  configure: (folder, port, upstream) => {
    const file = path.join(folder, 'Caddyfile')
    const text = replaceAll(readFileSync(path.join(PROXIES, 'Caddyfile'), 'utf8'), {
      '{$TROUPE_DOMAIN:localhost}': `http://127.0.0.1:${port}`,
      '{$TROUPE_UPSTREAM:127.0.0.1:7788}': `127.0.0.1:${upstream}`,
    })
    writeFileSync(file, `{\n\tadmin off\n\tgrace_period 1s\n}\n${text}`)
    return ['caddy', 'run', '--config', file, '--adapter', 'caddyfile']
  },
}

const NGINX: Proxy = {
  name: 'nginx',
  exists: spawnSync('nginx', ['-v']).error === undefined,
  configure: (folder, port, upstream) => {
    const site = path.join(folder, 'site.conf')
    const text = replaceAll(readFileSync(path.join(PROXIES, 'nginx.conf'), 'utf8'), {
      'listen 443 ssl http2;': `listen 127.0.0.1:${port};`,
      'ssl_certificate /etc/ssl/troupe/fullchain.pem;': '',
      'ssl_certificate_key /etc/ssl/troupe/privkey.pem;': '',
      'server 127.0.0.1:7788;': `server 127.0.0.1:${upstream};`,
      'listen 80;': `listen unix:${path.join(folder, 'plain.sock')};`,
    })
    writeFileSync(site, text)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
      mkdirSync(path.join(folder, name))
      return `${name}_temp_path ${path.join(folder, name)};`
    })
    const file = path.join(folder, 'nginx.conf')
    const main = [
      'daemon off;',
      `pid ${path.join(folder, 'nginx.pid')};`,
      'error_log stderr;',
      'events {}',
      `http { access_log off; ${temporary.join(' ')} include ${site}; }`,
    ]
    writeFileSync(file, main.join('\n'))
    return ['nginx', '-c', file, '-p', folder, '-e', 'stderr']
  },
}

/** Starts a proxy in front of a server. Returns its address. */
async function startProxy(proxy: Proxy, upstream: number): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-proxy-'))
  const port = await freePort()
  const [command = '', ...words] = proxy.configure(folder, port, upstream)
  const child = spawn(command, words, {
    env: { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true })
  })
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${proxy.name} ended with ${child.exitCode}: ${errors}`)
    const response = await fetch(`${url}/ready`).catch(() => undefined)
    if (response?.ok === true) return url
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe.each([CADDY, NGINX])('$name in front of the server', (proxy) => {
  const note = proxy.exists ? '' : ` – NOT RUN: there is no ${proxy.name}`

  it.skipIf(!proxy.exists)(
    `the configuration of ${proxy.name} passes on each event before the next, WebSocket messages, the end of a client and true addresses, and refuses large bodies${note}`,
    async () => {
      const upstream = await startUpstream()
      const url = await startProxy(proxy, upstream.port)

      const { body } = await fetch(`${url}/events`)
      if (body === null) throw new TypeError('the event stream has no body')
      const reader = body.pipeThrough(new TextDecoderStream()).getReader()
      for (let index = 1; index <= EVENTS; index += 1) {
        upstream.sendEvent(index === EVENTS)
        // would not resolve if the proxy waited for more
        expect(await reader.read()).toEqual({ done: false, value: 'data: event\n\n' })
      }

      expect(upstream.aborted()).toBe(0)
      const leaving = new AbortController()
      await fetch(`${url}/events`, { signal: leaving.signal })
      leaving.abort()
      await expect.poll(upstream.aborted).toBe(1)

      const socket = new WebSocket(`${url.replace('http', 'ws')}/mcp/ws`)
      await once(socket, 'open')
      socket.send('hello')
      const [message] = (await once(socket, 'message')) as readonly Buffer[]
      expect(message?.toString()).toBe('echo hello')
      socket.close()

      const forged = {
        'x-forwarded-for': '203.0.113.9',
        'x-forwarded-user': 'ada',
        'x-forwarded-groups': 'admins',
      }
      const headers = (await (await fetch(url, { headers: forged })).json()) as IncomingHttpHeaders
      expect(headers['x-forwarded-for']).toBe('127.0.0.1')
      expect(headers['x-forwarded-user']).toBeUndefined()
      expect(headers['x-forwarded-groups']).toBeUndefined()
      expect(headers['x-forwarded-proto']).toBe('http')

      const upload = await fetch(url, { method: 'POST', body: 'x'.repeat(TOO_LARGE) })
      expect([413, 502]).toContain(upload.status)
      const endless = await fetch(url, {
        method: 'POST',
        body: createReadStream('/dev/zero', { end: TOO_LARGE }),
        duplex: 'half',
      })
      expect([413, 502]).toContain(endless.status)
      expect(upstream.bodies()).toBe(0)

      expect((await fetch(`${url}/metrics`)).status).toBe(404)
    },
  )
})
