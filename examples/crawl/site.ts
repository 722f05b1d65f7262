import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

const PAGES = Array.from({ length: 12 }, (_, index) => `/${index + 1}.txt`)

export interface Site {
  readonly url: string
  /** The paths of all requests, in order. */
  readonly requests: readonly string[]
  close(): void
}

/** Serves twelve pages and their sitemap on this machine. */
export async function startSite(port = 0): Promise<Site> {
  const requests: string[] = []
  let url = ''
  const server = createServer(({ url: path = '/' }, response) => {
    requests.push(path)
    response.setHeader('content-type', 'text/plain')
    if (path === '/sitemap.txt') response.end(PAGES.map((page) => `${url}${page}`).join('\n'))
    else response.writeHead(PAGES.includes(path) ? 200 : 404).end(`This is page ${path}.`)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, requests, close: () => void server.close() }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log((await startSite(8788)).url)
