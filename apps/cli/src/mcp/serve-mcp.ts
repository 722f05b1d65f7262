import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { errorMessage, troupeError } from '@troupe/schema'
import { createMetaMcpHandler, type MetaMcp, serveMetaMcpStdio } from '@troupe/meta-mcp'
import type { CommandContext } from '../terminal/context.ts'
import { waitForStop } from '../terminal/stop.ts'
import { warn } from './print-serving.ts'

/** Loopback only. */
const HOST = '127.0.0.1'
const PATH = '/mcp'

interface HttpListener {
  readonly url: string
  /** Stops listening and closes all connections. */
  close(): Promise<void>
}

/**
 * Serves `/mcp` on the loopback interface. Port 0 picks a free port. Throws `usage_invalid` if the port
 * cannot be used.
 */
export async function listen(
  fetch: (request: Request) => Promise<Response>,
  { port, onError }: { readonly port: number; onError(error: Error): void },
): Promise<HttpListener> {
  const answer = toNodeHandler({ fetch }, { onerror: onError })
  const server = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?', 1)
    if (path === PATH) void answer(request as NodeIncomingMessageLike, response)
    else response.writeHead(404).end('Not found. The path of the server is /mcp.\n')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (thrown) => reject(cannotListen(port, thrown)))
    server.listen(port, HOST, () => resolve())
  })
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}${PATH}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function cannotListen(port: number, cause: unknown): Error {
  return troupeError('usage_invalid', `The server cannot listen on port ${port}: ${errorMessage(cause)}`, {
    fix: 'Choose another port with --port. 0 selects a free one.',
    cause,
  })
}

/** Serves an agent over HTTP on this machine until the program is stopped. Calls `onReady` with the URL. */
export async function serveOverHttp(
  meta: MetaMcp,
  { port, onReady }: { readonly port: number; onReady(url: string): void },
  context: CommandContext,
): Promise<void> {
  const onError = ({ message }: Error): void => warn(message, context)
  const handler = createMetaMcpHandler(meta, { newSessionId: randomUUID, onError })
  const server = await listen(handler.fetch, { port, onError })
  try {
    onReady(server.url)
    await waitForStop(context.stop)
  } finally {
    await handler.close()
    await server.close()
  }
}

/** Serves an agent over stdin and `output` until the client disconnects or the program is stopped. */
export async function serveOverStdio(
  meta: Pick<MetaMcp, 'createServer'>,
  output: Writable,
  context: CommandContext,
): Promise<void> {
  const connection = serveMetaMcpStdio(meta, {
    input: context.terminal.stdin,
    output,
    onError: ({ message }) => warn(message, context),
  })
  await Promise.race([connection.closed, waitForStop(context.stop)])
  await connection.close()
}
